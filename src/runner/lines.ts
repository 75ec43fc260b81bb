// Splits the bytes of an agent's output into lines. It reads every byte once, and no line grows over its cap.
import type { Line } from './runner.ts'

export type LineSplitter = {
  push(chunk: Uint8Array): readonly Line[]
  /** The last line, when it has no newline. */
  end(): readonly Line[]
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = 0xfeff
const HEAD_BYTES = 4096
const SMALLEST_BLOCK = 1024
const BIGGEST_BLOCK = 64 * 1024

export function createLineSplitter(options: { readonly maxLineBytes: number }): LineSplitter {
  const { maxLineBytes } = options
  const begun = createBegunLine(maxLineBytes)
  let isFirst = true

  function finish(lines: Line[]): readonly Line[] {
    const [first] = lines
    if (!isFirst || first === undefined) return lines
    isFirst = false
    lines[0] = withoutByteOrderMark(first)
    return lines
  }

  function push(chunk: Uint8Array): readonly Line[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const lines: Line[] = []
    let from = 0
    if (begun.isOpen()) {
      const newline = bytes.indexOf(NEWLINE)
      begun.append(newline < 0 ? bytes : bytes.subarray(0, newline))
      if (newline < 0) return lines
      lines.push(begun.take())
      from = newline + 1
    }
    const last = bytes.lastIndexOf(NEWLINE)
    if (last >= from) {
      addWholeLines(lines, bytes.subarray(from, last), maxLineBytes)
      from = last + 1
    }
    if (from < bytes.length) begun.append(bytes.subarray(from))
    return finish(lines)
  }

  return { push, end: () => (begun.isOpen() ? finish([begun.take()]) : []) }
}

/** Lines of a region that begins and ends at a line's edge. A newline is never part of another UTF-8 character, so it is decoded at once. */
function addWholeLines(lines: Line[], region: Buffer, maxLineBytes: number): void {
  if (region.length <= maxLineBytes) {
    for (const text of region.toString('utf8').split('\n')) lines.push(toLine(text))
    return
  }
  for (let from = 0; from <= region.length; ) {
    const newline = region.indexOf(NEWLINE, from)
    const to = newline < 0 ? region.length : newline
    lines.push(decode(region.subarray(from, to), to - from, maxLineBytes))
    from = to + 1
  }
}

/** The line whose end has not arrived yet. Over the cap it keeps only its head and its length. */
function createBegunLine(maxLineBytes: number) {
  let kept = createByteList()
  let totalBytes = 0
  let open = false

  function append(bytes: Buffer): void {
    open = true
    totalBytes += bytes.length
    const isOversized = totalBytes > maxLineBytes
    if (isOversized && kept.length() > HEAD_BYTES) {
      const head = kept.toBuffer(HEAD_BYTES)
      kept = createByteList()
      kept.add(head)
    }
    kept.add(isOversized ? bytes.subarray(0, HEAD_BYTES - kept.length()) : bytes)
  }

  function take(): Line {
    const line = decode(kept.toBuffer(), totalBytes, maxLineBytes)
    kept = createByteList()
    totalBytes = 0
    open = false
    return line
  }

  return { append, take, isOpen: () => open }
}

/** Bytes in blocks. Each byte is copied once, also when bytes arrive one by one, and no chunk of the pipe is kept. */
function createByteList() {
  const blocks: Buffer[] = []
  let length = 0
  let room = 0

  function add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      if (room === 0) {
        room = Math.max(SMALLEST_BLOCK, Math.min(length, BIGGEST_BLOCK))
        blocks.push(Buffer.allocUnsafeSlow(room))
      }
      const block = blocks[blocks.length - 1] ?? Buffer.alloc(0)
      const copied = bytes.copy(block, block.length - room, from)
      from += copied
      length += copied
      room -= copied
    }
  }

  return {
    add,
    length: () => length,
    toBuffer: (maxBytes = length) => Buffer.concat(blocks, Math.min(length, maxBytes)),
  }
}

function decode(kept: Buffer, totalBytes: number, maxLineBytes: number): Line {
  if (totalBytes <= maxLineBytes) return toLine(kept.toString('utf8'))
  return { kind: 'oversized', head: kept.toString('utf8', 0, HEAD_BYTES), bytes: totalBytes }
}

function toLine(text: string): Line {
  const end = text.length - 1
  const isCrLf = text.charCodeAt(end) === CARRIAGE_RETURN
  return { kind: 'line', text: isCrLf ? text.slice(0, end) : text }
}

function withoutByteOrderMark(line: Line): Line {
  if (line.kind === 'oversized') return { ...line, head: dropMark(line.head) }
  return { kind: 'line', text: dropMark(line.text) }
}

function dropMark(text: string): string {
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}
