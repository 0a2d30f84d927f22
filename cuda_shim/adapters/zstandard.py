"""Zstandard frames (RFC 8878) unpacked: nvcc packs PTX so, and Python has a module for it from 3.14 on only."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["unpacked"]

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = tuple(bytes((0x50 + number, 0x2A, 0x4D, 0x18)) for number in range(16))
# Lengths by code: the least one and the number of bits that are added.
_LITERALS = [(code, 0) for code in range(16)] + [
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4),
    *((1 << bits, bits) for bits in range(6, 17)),
]  # fmt: skip
_MATCHES = [(code + 3, 0) for code in range(32)] + [
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5),
    *((3 + (1 << bits), bits) for bits in range(7, 17)),
]  # fmt: skip
# Counts of codes for a block without its own: of literals' lengths, of offsets, of matches' lengths.
_LITERAL_CODES = [4, 3, *[2] * 11, 1, 1, 1, *[2] * 9, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1]
_OFFSET_CODES = [*[1] * 6, 2, 2, 2, *[1] * 15, *[-1] * 5]
_MATCH_CODES = [1, 4, 3, *[2] * 6, *[1] * 37, *[-1] * 7]


class _State(NamedTuple):
    """An entry of a table of states: its code, and from how many bits beyond a base the next state comes."""

    code: int
    bits: int
    base: int


class _Backwards:
    """Bits from the end of a stream to its begin; beyond that there are zeros."""

    def __init__(self, data: bytes) -> None:
        if not data or not data[-1]:
            raise ValueError("a stream of a Zstandard frame is damaged")
        self._data = data
        self.left = 8 * len(data) - (9 - data[-1].bit_length())

    def read(self, count: int) -> int:
        self.left -= count
        place = self.left
        if place < 0:
            beyond = min(-place, count)
            kept = int.from_bytes(self._data[:8], "little") & ((1 << (count - beyond)) - 1)
            return kept << beyond
        return int.from_bytes(self._data[place >> 3 : (place >> 3) + 8], "little") >> (place & 7) & ((1 << count) - 1)


class _Forwards:
    """Bits from the begin of a stream on."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self.place = 8 * place

    def read(self, count: int) -> int:
        begin = self.place
        self.place += count
        ahead = int.from_bytes(self._data[begin >> 3 : (begin >> 3) + 8], "little")
        return ahead >> (begin & 7) & ((1 << count) - 1)

    def bytes_read(self) -> int:
        return (self.place + 7) // 8


def unpacked(data: bytes, most: int) -> bytes:
    """Return the contents of frames. Raises ValueError where they are damaged or hold more than `most` bytes."""
    found = bytearray()
    place = 0
    try:
        while data[place : place + 4] == _MAGIC or data[place : place + 4] in _SKIPPED:
            if data[place : place + 4] == _MAGIC:
                place = _Frame(data, found, most).read(place + 4)
            else:
                place += 8 + int.from_bytes(data[place + 4 : place + 8], "little")
    except IndexError:
        raise ValueError("a Zstandard frame ends early") from None
    if place == 0:
        raise ValueError("not a Zstandard frame")
    return bytes(found)


class _Frame:
    def __init__(self, data: bytes, found: bytearray, most: int) -> None:
        self._data, self._found, self._most = data, found, most
        self._begin = len(found)
        self._huffman: tuple[list[tuple[int, int]], int] | None = None
        self._tables: dict[int, tuple[list[_State], int]] = {}
        self._offsets = [1, 4, 8]

    def read(self, place: int) -> int:
        """Read a frame behind its magic number; return the place behind it."""
        data, header = self._data, self._data[place]
        single, checked = header & 32, header & 4
        place += 1 + (0 if single else 1) + (0, 1, 2, 4)[header & 3]
        if header & 3:
            raise ValueError("the Zstandard frame needs a dictionary")
        place += (1 if single else 0, 2, 4, 8)[header >> 6]
        last = False
        while not last:
            head = int.from_bytes(data[place : place + 3], "little")
            last, kind, size = bool(head & 1), head >> 1 & 3, head >> 3
            place += 3
            stored = 1 if kind == 1 else size
            if place + stored > len(data):
                raise ValueError("a Zstandard frame ends early")
            block = data[place : place + stored]
            place += stored
            if len(self._found) + (size if kind != 2 else 0) > self._most:
                raise ValueError("a Zstandard frame is too large")
            if kind == 0:
                self._found += block
            elif kind == 1:
                self._found += block * size
            elif kind == 2:
                self._block(block)
            else:
                raise ValueError("invalid block type in a Zstandard frame")
        return place + (4 if checked else 0)

    # Literals.

    def _block(self, block: bytes) -> None:
        literals, place = self._literals(block)
        self._sequences(block, place, literals)
        if len(self._found) > self._most:
            raise ValueError("a Zstandard frame is too large")

    def _literals(self, block: bytes) -> tuple[bytes, int]:
        kind, form = block[0] & 3, block[0] >> 2 & 3
        if kind < 2:
            length = (1, 2, 1, 3)[form]
            size = int.from_bytes(block[:length], "little") >> (3 if length == 1 else 4)
            if kind == 1:
                return block[length : length + 1] * size, length + 1
            return block[length : length + size], length + size
        length, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        header = int.from_bytes(block[:length], "little") >> 4
        size, packed = header & ((1 << bits) - 1), header >> bits & ((1 << bits) - 1)
        place, end = length, length + packed
        if kind == 2:
            place = self._read_huffman(block, place)
        if form == 0:
            return self._decoded(block[place:end], size), end
        sizes = [int.from_bytes(block[place + 2 * number : place + 2 * number + 2], "little") for number in range(3)]
        place += 6
        quarter, parts = (size + 3) // 4, []
        for number in range(4):
            stop = place + sizes[number] if number < 3 else end
            parts.append(self._decoded(block[place:stop], quarter if number < 3 else size - 3 * quarter))
            place = stop
        return b"".join(parts), end

    def _decoded(self, stream: bytes, size: int) -> bytes:
        if self._huffman is None:
            raise ValueError("a block of a Zstandard frame has no table")
        table, longest = self._huffman
        bits = _Backwards(stream)
        found = bytearray()
        for _ in range(size):
            code, length = table[bits.read(longest)]
            bits.left += longest - length
            found.append(code)
        if bits.left != 0:
            raise ValueError("a stream of a Zstandard frame is damaged")
        return bytes(found)

    def _read_huffman(self, block: bytes, place: int) -> int:
        head = block[place]
        place += 1
        if head < 128:
            weights = _weights(block[place : place + head])
            place += head
        else:
            count = head - 127
            packed = block[place : place + (count + 1) // 2]
            weights = [packed[number // 2] >> (0 if number & 1 else 4) & 15 for number in range(count)]
            place += len(packed)
        total = sum(1 << (weight - 1) for weight in weights if weight)
        longest = total.bit_length()
        rest = (1 << longest) - total
        if not total or rest & (rest - 1) or longest > 11:
            raise ValueError("a table of a Zstandard frame is damaged")
        weights.append(rest.bit_length())
        table: list[tuple[int, int]] = []
        for weight in range(1, longest + 1):
            for code, own in enumerate(weights):
                if own == weight:
                    table += [(code, longest + 1 - weight)] * (1 << (weight - 1))
        self._huffman = table, longest
        return place

    # Sequences: a number of literals, then a match further back.

    def _sequences(self, block: bytes, place: int, literals: bytes) -> None:
        count = block[place]
        place += 1
        if count == 255:
            count = block[place] + (block[place + 1] << 8) + 0x7F00
            place += 2
        elif count >= 128:
            count = (count - 128 << 8) + block[place]
            place += 1
        if count == 0:
            self._found += literals
            return
        modes = block[place]
        place += 1
        for number, (common, accuracy, most) in enumerate(
            ((_LITERAL_CODES, 6, 9), (_OFFSET_CODES, 5, 8), (_MATCH_CODES, 6, 9))
        ):
            mode = modes >> (6 - 2 * number) & 3
            if mode == 0:
                self._tables[number] = _states(common, accuracy), accuracy
            elif mode == 1:
                self._tables[number] = [_State(block[place], 0, 0)], 0
                place += 1
            elif mode == 2:
                counts, own, place = _counts(block, place, most)
                self._tables[number] = _states(counts, own), own
            elif number not in self._tables:
                raise ValueError("a block of a Zstandard frame has no table")
        self._copy(_Backwards(block[place:]), count, literals)

    def _copy(self, bits: _Backwards, count: int, literals: bytes) -> None:
        tables = [self._tables[number][0] for number in range(3)]
        states = [tables[number][bits.read(self._tables[number][1])] for number in range(3)]
        found, taken = self._found, 0
        for number in range(count):
            value = (1 << states[1].code) + bits.read(states[1].code)
            base, more = _MATCHES[states[2].code]
            length = base + bits.read(more)
            base, more = _LITERALS[states[0].code]
            before = base + bits.read(more)
            found += literals[taken : taken + before]
            taken += before
            offset = self._offset(value, before)
            if not 0 < offset <= len(found) - self._begin or len(found) + length > self._most:
                raise ValueError("a sequence of a Zstandard frame is damaged")
            begin = len(found) - offset
            piece = bytes(found[begin : begin + length])
            found += (piece * (length // len(piece) + 1))[:length] if len(piece) < length else piece
            if number + 1 < count:
                for which in (0, 2, 1):
                    states[which] = tables[which][states[which].base + bits.read(states[which].bits)]
        if bits.left != 0 or taken > len(literals):
            raise ValueError("a sequence of a Zstandard frame is damaged")
        found += literals[taken:]

    def _offset(self, value: int, before: int) -> int:
        """Return how far back a match is; three offsets are remembered."""
        known = self._offsets
        if value > 3:
            self._offsets = [value - 3, known[0], known[1]]
            return value - 3
        place = value - 1 + (before == 0)
        if place == 3:
            self._offsets = [known[0] - 1, known[0], known[1]]
        elif place == 2:
            self._offsets = [known[2], known[0], known[1]]
        elif place == 1:
            self._offsets = [known[1], known[0], known[2]]
        return self._offsets[0]


def _weights(data: bytes) -> list[int]:
    """Return the weights of a Huffman table that are packed by two states in turn."""
    counts, accuracy, place = _counts(data, 0, 6)
    table = _states(counts, accuracy)
    bits = _Backwards(data[place:])
    states = [table[bits.read(accuracy)] for _ in range(2)]
    found: list[int] = []
    while len(found) < 255:
        which = len(found) & 1
        found.append(states[which].code)
        if bits.left < states[which].bits:
            found.append(states[1 - which].code)
            return found
        states[which] = table[states[which].base + bits.read(states[which].bits)]
    raise ValueError("a table of a Zstandard frame is damaged")


def _counts(data: bytes, place: int, most: int) -> tuple[list[int], int, int]:
    """Return the count of each code, the bits of a state, and the place behind the table."""
    bits = _Forwards(data, place)
    accuracy = 5 + bits.read(4)
    if accuracy > most:
        raise ValueError("a table of a Zstandard frame is damaged")
    left, found = 1 << accuracy, list[int]()
    while left > 0 and len(found) < 256:
        length = (left + 1).bit_length()
        value = bits.read(length)
        low, short = (1 << (length - 1)) - 1, (1 << length) - 2 - left
        if value & low < short:
            bits.place -= 1
            value &= low
        elif value > low:
            value -= short
        found.append(value - 1)
        left -= abs(value - 1)
        while value == 1:
            zeros = bits.read(2)
            found += [0] * zeros
            if zeros != 3:
                break
    if left != 0 or bits.bytes_read() > len(data):
        raise ValueError("a table of a Zstandard frame is damaged")
    return found, accuracy, bits.bytes_read()


def _states(counts: list[int], accuracy: int) -> list[_State]:
    size = 1 << accuracy
    codes, high = [0] * size, size
    for code, count in enumerate(counts):
        if count < 0:
            high -= 1
            codes[high] = code
    place, step = 0, (size >> 1) + (size >> 3) + 3
    for code, count in enumerate(counts):
        for _ in range(max(count, 0)):
            codes[place] = code
            place = (place + step) & (size - 1)
            while place >= high:
                place = (place + step) & (size - 1)
    following = [abs(count) for count in counts]
    found = []
    for code in codes:
        number = following[code]
        following[code] += 1
        bits = accuracy + 1 - number.bit_length()
        found.append(_State(code, bits, (number << bits) - size))
    return found
