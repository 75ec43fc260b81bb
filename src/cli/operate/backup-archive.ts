// The tar file of a backup: written file by file, then read back and compared with what was put in.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { createTarDecoder, createTarPacker } from 'modern-tar'
import { RepriseError } from '../../errors.ts'

export type Member = {
  /** Its name in the archive. */
  readonly name: string
  /** Where its content is now. */
  readonly path: string
}

export type Kept = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** A session file may be removed while a backup runs: what is gone is left out. */
export async function writeArchive(
  path: string,
  members: readonly Member[],
  onMember: (done: number) => void,
): Promise<readonly Kept[]> {
  const { readable, controller } = createTarPacker()
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const source = Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0])
  const written = isGzip(path) ? pipeline(source, createGzip(), file) : pipeline(source, file)
  const adding = addAll(controller, members, onMember)
  // An error of the disk ends the pipeline; the packer must not wait for a reader that is gone.
  await Promise.race([written, adding.then(() => written)])
  return adding
}

type Packer = ReturnType<typeof createTarPacker>['controller']

async function addAll(
  packer: Packer,
  members: readonly Member[],
  onMember: (done: number) => void,
): Promise<readonly Kept[]> {
  const kept: Kept[] = []
  for (const [index, member] of members.entries()) {
    const added = await addOne(packer, member)
    if (added) kept.push(added)
    onMember(index + 1)
  }
  packer.finalize()
  return kept
}

async function addOne(packer: Packer, { name, path }: Member): Promise<Kept | null> {
  const file = await open(path, 'r').catch(() => null) // Gone meanwhile.
  if (file === null) return null
  try {
    const { size, mtime } = await file.stat()
    const body = packer.add({ name, size, mtime, mode: 0o600 }).getWriter()
    const sha256 = await copy(file, size, bytes => body.write(bytes))
    await body.close()
    return { name, bytes: size, sha256 }
  } finally {
    await file.close()
  }
}

const CHUNK_BYTES = 256 * 1024

/** Copies exactly `size` bytes: a file that grows meanwhile is kept as it was. */
async function copy(
  file: FileHandle,
  size: number,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < size; ) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) throw new Error('a file became shorter while it was copied')
    const bytes = chunk.subarray(0, bytesRead)
    hash.update(bytes)
    await write(bytes)
    at += bytesRead
  }
  return hash.digest('hex')
}

/** Reads the archive back. Throws when it does not hold exactly what was put in. */
export async function checkArchive(path: string, kept: readonly Kept[]): Promise<void> {
  const file = createReadStream(path)
  const source = isGzip(path) ? file.pipe(createGunzip()) : file
  const found: Kept[] = []
  const stream = Readable.toWeb(source) as unknown as ReadableStream<Uint8Array>
  for await (const { header, body } of stream.pipeThrough(createTarDecoder({ strict: true }))) {
    const hash = createHash('sha256')
    for await (const bytes of body) hash.update(bytes)
    found.push({ name: header.name, bytes: header.size, sha256: hash.digest('hex') })
  }
  if (JSON.stringify(found) === JSON.stringify(kept)) return
  const what = 'the backup that was written is not what was put in: the disk or the memory is bad'
  throw new RepriseError('store-unusable', what, 'Try again on another disk, and check this one.')
}

function isGzip(path: string): boolean {
  return /\.(?:gz|tgz)(?:\.partial-\d+)?$/.test(path)
}
