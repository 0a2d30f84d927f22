// The message digest MD2 (RFC 1319) and its keyed form (HMAC, RFC 2104).
namespace {

class Md2 {
public:
    static constexpr size_t size = 16;

    void add(const void* data, size_t bytes) {
        const auto* from = static_cast<const uint8_t*>(data);
        for (size_t i = 0; i < bytes; ++i) {
            block_[filled_++] = from[i];
            if (filled_ == size) add_block();
        }
    }

    void finish(uint8_t (&digest)[size]) {
        uint8_t padding[size];
        const size_t missing = size - filled_;
        memset(padding, static_cast<int>(missing), missing);
        add(padding, missing);
        uint8_t checksum[size];
        memcpy(checksum, checksum_, size);
        add(checksum, size);
        memcpy(digest, state_, size);
    }

private:
    static constexpr int rounds = 18;
    static const uint8_t substitution[256];

    void add_block() {
        uint8_t last = checksum_[size - 1];
        for (size_t i = 0; i < size; ++i) last = checksum_[i] ^= substitution[block_[i] ^ last];
        for (size_t i = 0; i < size; ++i) {
            state_[size + i] = block_[i];
            state_[2 * size + i] = block_[i] ^ state_[i];
        }
        uint8_t carried = 0;
        for (int round = 0; round < rounds; ++round) {
            for (uint8_t& byte : state_) carried = byte ^= substitution[carried];
            carried = static_cast<uint8_t>(carried + round);
        }
        filled_ = 0;
    }

    uint8_t state_[3 * size] = {};
    uint8_t checksum_[size] = {};
    uint8_t block_[size] = {};
    size_t filled_ = 0;
};

// Digits of pi, as the RFC lists them.
const uint8_t Md2::substitution[256] = {
    41,  46,  67,  201, 162, 216, 124, 1,   61,  54,  84,  161, 236, 240, 6,   19,  98,  167, 5,   243, 192, 199,
    115, 140, 152, 147, 43,  217, 188, 76,  130, 202, 30,  155, 87,  60,  253, 212, 224, 22,  103, 66,  111, 24,
    138, 23,  229, 18,  190, 78,  196, 214, 218, 158, 222, 73,  160, 251, 245, 142, 187, 47,  238, 122, 169, 104,
    121, 145, 21,  178, 7,   63,  148, 194, 16,  137, 11,  34,  95,  33,  128, 127, 93,  154, 90,  144, 50,  39,
    53,  62,  204, 231, 191, 247, 151, 3,   255, 25,  48,  179, 72,  165, 181, 209, 215, 94,  146, 42,  172, 86,
    170, 198, 79,  184, 56,  210, 150, 164, 125, 182, 118, 252, 107, 226, 156, 116, 4,   241, 69,  157, 112, 89,
    100, 113, 135, 32,  134, 91,  207, 101, 230, 45,  168, 2,   27,  96,  37,  173, 174, 176, 185, 246, 28,  70,
    97,  105, 52,  64,  126, 15,  85,  71,  163, 35,  221, 81,  175, 58,  195, 92,  249, 206, 186, 197, 234, 38,
    44,  83,  13,  110, 133, 40,  132, 9,   211, 223, 205, 244, 65,  129, 77,  82,  106, 220, 55,  200, 108, 193,
    171, 250, 36,  225, 123, 8,   12,  189, 177, 74,  120, 136, 149, 139, 227, 99,  232, 109, 233, 203, 213, 254,
    59,  0,   29,  57,  242, 239, 183, 14,  102, 88,  208, 228, 166, 119, 114, 248, 235, 117, 75,  10,  49,  68,
    80,  180, 143, 237, 31,  26,  219, 153, 141, 51,  159, 17,  131, 20};

// The inner or the outer pass over a key of one block: `pad` is the byte that RFC 2104 has for it.
void hash_key(Md2& digest, const uint8_t (&key)[Md2::size], uint8_t pad) {
    uint8_t padded[Md2::size];
    for (size_t i = 0; i < Md2::size; ++i) padded[i] = key[i] ^ pad;
    digest.add(padded, sizeof padded);
}

// HMAC-MD2 of all added bytes.
class KeyedMd2 {
public:
    explicit KeyedMd2(const uint8_t (&key)[Md2::size]) : key_(key) { hash_key(inner_, key_, 0x36); }

    void add(const void* data, size_t bytes) { inner_.add(data, bytes); }

    void finish(uint8_t (&digest)[Md2::size]) {
        inner_.finish(digest);
        Md2 outer;
        hash_key(outer, key_, 0x5c);
        outer.add(digest, sizeof digest);
        outer.finish(digest);
    }

private:
    const uint8_t (&key_)[Md2::size];
    Md2 inner_;
};

}  // namespace
