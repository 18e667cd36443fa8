/* Numbers as the page stores them: seven bits per byte in base64, see packing.py. */

function bytesOf(text) {
  const read = atob(text), bytes = new Uint8Array(read.length);
  for (let k = 0; k < read.length; k++) bytes[k] = read.charCodeAt(k);
  return bytes;
}

function unpack(text) {
  const bytes = bytesOf(text);
  let size = 0;
  for (const byte of bytes) if (byte < 128) size += 1;
  const numbers = new Uint32Array(size);
  for (let k = 0, at = 0, value = 0, shift = 0; k < bytes.length; k++) {
    value |= (bytes[k] & 127) << shift;
    shift += 7;
    if (bytes[k] < 128) { numbers[at++] = value; value = shift = 0; }
  }
  return numbers;
}

/* Row i of the result has the labels list[start[i]] ... list[start[i + 1] - 1], ascending. */
function unpackRows(packed) {
  const sizes = unpack(packed.sizes), list = unpack(packed.steps), start = new Uint32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) {
    start[i + 1] = start[i] + sizes[i];
    for (let k = start[i] + 1; k < start[i + 1]; k++) list[k] += list[k - 1];
  }
  return { start, list, size: sizes.length, row: (i) => list.subarray(start[i], start[i + 1]) };
}

function unpackCounts(packed, size) {
  const steps = unpack(packed.steps), counts = unpack(packed.counts), table = new Uint32Array(size);
  for (let k = 0, at = 0; k < steps.length; k++) { at += steps[k]; table[at] = counts[k]; }
  return table;
}
