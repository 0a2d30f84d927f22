"use strict";

// The document: see page.py. Times are nanoseconds from the beginning of the first event.
const page = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);

function duration(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
    if (Math.abs(ns) >= size) return `${(ns / size).toFixed(ns / size < 10 ? 2 : 1)} ${unit}`;
  return `${Math.round(ns)} ns`;
}

function size(bytes) {
  for (const [unit, factor] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
    if (bytes >= factor) return `${(bytes / factor).toFixed(1)} ${unit}`;
  return bytes ? `${bytes} B` : "";
}

// ---------------------------------------------------------------------------------------------------- tables

// A column is {title, show, key, number}: `show` gives the text of a row, `key` the value that rows are sorted by.
function tableOf(title, columns, rows, select) {
  const section = document.createElement("section");
  const heading = document.createElement("h2");
  heading.textContent = title;
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  let sorted = null;

  function fill(order) {
    body.replaceChildren(...order.map((row) => {
      const line = document.createElement("tr");
      for (const column of columns) {
        const cell = line.insertCell();
        cell.textContent = column.show(row);
        if (column.number) cell.className = "number";
        if (column.bad && cell.textContent) cell.className = "bad";
      }
      if (select) {
        line.className = "selectable";
        line.addEventListener("click", () => select(row));
      }
      return line;
    }));
  }

  columns.forEach((column, at) => {
    const cell = document.createElement("th");
    cell.textContent = column.title;
    if (column.number) cell.className = "number";
    cell.addEventListener("click", () => {
      const down = sorted === null || sorted.at !== at ? Boolean(column.number) : !sorted.down;
      sorted = {at, down};
      for (const other of head.cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = column.key || column.show;
      const sign = down ? -1 : 1;
      fill([...rows].sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0)));
    });
    head.append(cell);
  });
  fill(rows);
  scroll.append(table);
  section.append(heading, scroll);
  by("tables").append(section);
}

const text = (title, field) => ({title, show: (row) => String(row[field])});
const count = (field = "count", title = field) =>
  ({title, number: true, show: (row) => row[field].toLocaleString("en"), key: (row) => row[field]});
const seconds = (title, field) =>
  ({title, number: true, show: (row) => duration(row[field] * 1e9), key: (row) => row[field]});
const times = [count(), seconds("total", "seconds"), seconds("mean", "mean"), seconds("longest", "longest")];
const named = (rows) => Object.entries(rows).map(([name, row]) => ({name, ...row}));

function profileTables(profile) {
  const pick = page.timeline && ((name) => { by("search").value = name; search(); });
  const byName = pick && ((row) => pick(row.name));
  const kernels = named(profile.kernels);
  const whole = kernels.reduce((sum, row) => sum + row.seconds, 0);
  const share = {title: "share", number: true, key: (row) => row.seconds,
    show: (row) => whole ? `${(100 * row.seconds / whole).toFixed(1)} %` : ""};
  if (kernels.length) tableOf("Kernels", [text("kernel", "name"), ...times, share], kernels, byName);
  const copies = named(profile.copies);
  if (copies.length) tableOf("Copies and fills", [text("copy", "name"), ...times,
    {title: "bytes", number: true, key: (row) => row.bytes || 0, show: (row) => size(row.bytes || 0)},
    {title: "GiB/s", number: true, key: (row) => row.gib_per_second || 0,
      show: (row) => row.gib_per_second ? row.gib_per_second.toFixed(2) : ""}], copies, byName);
  if (profile.sites.length)
    tableOf("Lines of the program", [text("line", "site"), text("what", "what"), ...times], profile.sites,
      pick && ((row) => pick(row.site)));
  const calls = named(profile.calls);
  if (calls.length) tableOf("Calls by time", [text("call", "name"), ...times], calls, byName);
  if (profile.not_measured) note(profile.not_measured);
}

function reportTables(report) {
  const errors = (row) => Object.entries({...row.errors, ...row.raised})
    .map(([name, times]) => times > 1 ? `${name} × ${times}` : name).join(", ");
  const rows = named(report.calls);
  if (rows.length) tableOf("Calls and their support", [text("call", "name"), count(), seconds("total", "seconds"),
    {title: "support", show: (row) => row.support}, {title: "errors", show: errors, bad: true}], rows);
  if (report.unsupported.length) tableOf("Not supported",
    [text("name", "name"), count("count", "met"), text("why", "reason")], report.unsupported);
  const invented = Object.entries(report.hallucinated).map(([name, count]) => ({name, count}));
  if (invented.length) tableOf("Hallucinated", [text("name", "name"), count("count", "read")], invented);
}

function note(sentence) {
  const line = document.createElement("p");
  line.className = "note";
  line.textContent = sentence;
  by("tables").append(line);
}

// -------------------------------------------------------------------------------------------------- timeline

const HEAD = 22, ROW = 20, GAP = 6, LABEL = 210, MINIMUM = 20;
const COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#9d755d", "#e45756", "#72b7b2", "#d4a72c"];
let view = null, pattern = "", selected = -1, hovered = -1;

// Columns of the events, and for each lane the numbers of its events in order of time, with the row of each.
let events = null, lanes = [];

function readTimeline(timeline) {
  const columns = ["lane", "begin", "length", "name", "site", "bytes", "cause"];
  events = Object.fromEntries(columns.map((column) => [column, timeline[column]]));
  events.row = new Uint16Array(events.begin.length);
  lanes = timeline.lanes.map((name) => ({name, events: [], rows: 1, longest: 0}));
  const order = [...events.begin.keys()].sort((a, b) => events.begin[a] - events.begin[b] || b - a);
  const ends = lanes.map(() => []);
  for (const event of order) {
    const lane = lanes[events.lane[event]], free = ends[events.lane[event]];
    let row = free.findIndex((end) => end <= events.begin[event]);
    if (row < 0) row = free.length;  // calls that callbacks make lie under the call that is waiting
    free[row] = events.begin[event] + events.length[event];
    events.row[event] = row;
    lane.rows = Math.max(lane.rows, row + 1);
    lane.longest = Math.max(lane.longest, events.length[event]);
    lane.events.push(event);
  }
  let top = HEAD;
  for (const lane of lanes) {
    lane.top = top;
    top += lane.rows * ROW + GAP;
  }
  view = {from: 0, to: timeline.end, end: timeline.end, height: top};
}

const canvas = by("lanes"), pen = canvas.getContext("2d");
const across = (ns, width) => LABEL + (ns - view.from) / (view.to - view.from) * (width - LABEL);
const timeAt = (x, width) => view.from + (x - LABEL) / (width - LABEL) * (view.to - view.from);

// The first of a lane's events that may reach into the view: none is longer than the lane's longest.
function firstVisible(lane) {
  let low = 0, high = lane.events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events.begin[lane.events[middle]] < view.from - lane.longest) low = middle + 1; else high = middle;
  }
  return low;
}

function matches(event) {
  return (page.timeline.names[events.name[event]] + "\n" + page.timeline.sites[events.site[event]]).includes(pattern);
}

function draw() {
  const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
  canvas.style.height = `${view.height}px`;
  canvas.width = width * scale;
  canvas.height = view.height * scale;
  pen.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink"), faint = style.getPropertyValue("--line");
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  drawScale(width, ink, faint);
  let shown = 0;
  for (const lane of lanes) {
    pen.fillStyle = ink;
    pen.fillText(lane.name, 6, lane.top + ROW / 2, LABEL - 12);
    pen.fillStyle = faint;
    pen.fillRect(0, lane.top + lane.rows * ROW + GAP / 2 - 1, width, 1);
    shown += drawLane(lane, width);
  }
  drawArrow(width, ink);
  by("visible").textContent =
    `${duration(view.from)} to ${duration(view.to)} (${duration(view.to - view.from)}), ${shown.toLocaleString("en")} events`;
}

function drawScale(width, ink, faint) {
  const raw = (view.to - view.from) / 6, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = across(time, width);
    pen.fillStyle = faint;
    pen.fillRect(x, HEAD - 4, 1, view.height);
    pen.fillStyle = ink;
    pen.fillText(duration(time), x + 3, HEAD / 2 - 1);
  }
}

function drawLane(lane, width) {
  let shown = 0;
  const filled = new Float64Array(lane.rows).fill(-1);  // events in a pixel that is drawn already are not drawn again
  for (let at = firstVisible(lane); at < lane.events.length; ++at) {
    const event = lane.events[at];
    if (events.begin[event] > view.to) break;
    if (events.begin[event] + events.length[event] < view.from) continue;
    ++shown;
    const left = Math.max(LABEL, across(events.begin[event], width));
    const right = Math.max(left + 1, across(events.begin[event] + events.length[event], width));
    const row = events.row[event], bright = !pattern || matches(event);
    if (right <= filled[row] + .5 && !(pattern && bright) && event !== selected) continue;
    filled[row] = right;
    const top = lane.top + row * ROW + 1;
    pen.globalAlpha = bright ? 1 : .15;
    pen.fillStyle = COLOURS[events.name[event] % COLOURS.length];
    pen.fillRect(left, top, right - left, ROW - 3);
    if (event === selected || event === hovered) {
      pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink");
      pen.lineWidth = 2;
      pen.strokeRect(left, top, right - left, ROW - 3);
    }
    if (right - left > 30) {
      pen.save();
      pen.beginPath();
      pen.rect(left, top, right - left, ROW - 3);
      pen.clip();
      pen.fillStyle = "#fff";
      pen.fillText(page.timeline.names[events.name[event]], left + 4, top + ROW / 2 - 1);
      pen.restore();
    }
    pen.globalAlpha = 1;
  }
  return shown;
}

// The selected event is connected with the call that caused it, and with the work that it caused.
function relatives(event) {
  if (event < 0) return [];
  const caused = [];
  for (let other = 0; other < events.cause.length; ++other) if (events.cause[other] === event) caused.push([event, other]);
  return events.cause[event] >= 0 ? [[events.cause[event], event], ...caused] : caused;
}

function drawArrow(width, ink) {
  const middle = (event) => lanes[events.lane[event]].top + events.row[event] * ROW + ROW / 2;
  pen.strokeStyle = ink;
  pen.lineWidth = 1;
  pen.save();
  pen.beginPath();
  pen.rect(LABEL, 0, width - LABEL, view.height);
  pen.clip();
  for (const [cause, effect] of relatives(selected).slice(0, 1000)) {
    pen.beginPath();
    pen.moveTo(across(events.begin[cause], width), middle(cause));
    pen.lineTo(across(events.begin[effect], width), middle(effect));
    pen.stroke();
  }
  pen.restore();
}

function show(from, to) {
  const length = Math.min(Math.max(to - from, MINIMUM), view.end);
  view.from = Math.min(Math.max(from, 0), view.end - length);
  view.to = view.from + length;
  draw();
  history.replaceState(null, "", view.from === 0 && view.to === view.end ? "#" : `#${view.from | 0}-${Math.ceil(view.to)}`);
}

function zoom(factor, at = (view.from + view.to) / 2) {
  show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

const move = (part) => show(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

function eventAt(x, y) {
  const width = canvas.clientWidth;
  const lane = lanes.find((lane) => y >= lane.top && y < lane.top + lane.rows * ROW);
  if (!lane || x < LABEL) return -1;
  const row = Math.floor((y - lane.top) / ROW), near = (view.to - view.from) / (width - LABEL) * 2, time = timeAt(x, width);
  let best = -1, distance = near;
  for (let at = firstVisible(lane); at < lane.events.length; ++at) {
    const event = lane.events[at], begin = events.begin[event];
    if (begin > time + near) break;
    if (events.row[event] !== row) continue;
    const away = Math.max(begin - time, time - begin - events.length[event], 0);
    if (away <= distance) [best, distance] = [event, away];
  }
  return best;
}

function describe(event) {
  const {names, sites} = page.timeline;
  const lines = [names[events.name[event]], `${duration(events.length[event])} from ${duration(events.begin[event])}`,
    lanes[events.lane[event]].name];
  if (events.bytes[event])
    lines.push(`${size(events.bytes[event])}, ${(events.bytes[event] / events.length[event] * 1e9 / 2 ** 30).toFixed(2)} GiB/s`);
  if (sites[events.site[event]]) lines.push(sites[events.site[event]]);
  if (events.cause[event] >= 0) lines.push(`by ${names[events.name[events.cause[event]]]}`);
  return lines;
}

function search() {
  pattern = by("search").value.trim();
  draw();
}

function listen() {
  by("zoom-in").addEventListener("click", () => zoom(.5));
  by("zoom-out").addEventListener("click", () => zoom(2));
  by("whole").addEventListener("click", () => show(0, view.end));
  by("search").addEventListener("input", search);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey) move(Math.sign(event.deltaY) * .1);
    else zoom(1.2 ** Math.sign(event.deltaY), timeAt(Math.max(event.offsetX, LABEL), canvas.clientWidth));
  }, {passive: false});
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = {x: event.offsetX, from: view.from, to: view.to, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => held ? drag(held, event) : hover(event));
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) pick(eventAt(event.offsetX, event.offsetY));
    held = null;
  });
  canvas.addEventListener("pointerleave", () => { hovered = -1; by("tip").hidden = true; });
  canvas.addEventListener("dblclick", () => show(0, view.end));
  const keys = {w: () => zoom(.5), s: () => zoom(2), a: () => move(-.2), d: () => move(.2), 0: () => show(0, view.end),
    ArrowLeft: () => move(-.2), ArrowRight: () => move(.2), "+": () => zoom(.5), "-": () => zoom(2)};
  document.addEventListener("keydown", (event) => {
    if (event.target === by("search") || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

function drag(held, event) {
  const away = (event.offsetX - held.x) / (canvas.clientWidth - LABEL) * (held.to - held.from);
  if (Math.abs(event.offsetX - held.x) > 3) held.moved = true;
  if (held.moved) show(held.from - away, held.to - away);
}

function hover(event) {
  const under = eventAt(event.offsetX, event.offsetY), tip = by("tip");
  tip.hidden = under < 0;
  if (under >= 0) {
    tip.textContent = describe(under).join("\n");
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  }
  if (under !== hovered) {
    hovered = under;
    draw();
  }
}

function pick(event) {
  selected = event;
  by("detail").textContent = event < 0 ? "" : describe(event).join(" · ");
  draw();
}

function start() {
  by("summary").textContent = page.summary;
  if (page.timeline) {
    by("timeline").hidden = false;
    readTimeline(page.timeline);
    if (page.timeline.left_out)
      by("left-out").textContent =
        `${page.timeline.left_out.toLocaleString("en")} shorter events are left out; the JSON form has them.`;
    listen();
    const [from, to] = location.hash.slice(1).split("-").map(Number);
    if (to > from) show(from, to); else draw();
  }
  if (page.profile) profileTables(page.profile);
  if (page.report) reportTables(page.report);
}

start();
