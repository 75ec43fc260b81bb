// The head of a thread file: one line of JSON that names every entry, and one line that seals it. The packed entries follow in this order.
// There are no paths in a thread file: an entry is one of a few kinds, and the reader decides where its bytes go.
import { z } from '@hono/zod-openapi'
import { hashText } from '../core/hash-text.ts'
import { RepriseError } from '../errors.ts'
import type { StoreKey } from '../store/contract/thread-content.ts'
import { FILE_LIMITS, type FileLimits, FREE_RATIO_BYTES } from './limits.ts'
import { isPublicKey, isSignedBy, signText } from './signing.ts'

/** The lists of a file, in this order. Each is there once. */
export const LISTS = [
  'thread',
  'branches',
  'messages',
  'runs',
  'prompts',
  'sessions',
  'events',
] as const

/** Bytes of a file, none or more of each kind, after the lists. */
export const BLOBS = ['session-file', 'checkpoint', 'bundle'] as const

export type ListKind = (typeof LISTS)[number]

const count = z.int().min(0)

const entrySchema = z.strictObject({
  kind: z.enum([...LISTS, ...BLOBS]),
  /** Of a session file: our id of its session; of a checkpoint: its name. */
  of: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .nullable(),
  /** Packed, as the file holds them. */
  bytes: count,
  /** Of the packed bytes. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Unpacked. */
  size: count,
})

const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** Of the store that wrote it; null: nobody has signed the file. */
  key: z.string().refine(isPublicKey).nullable(),
  threadId: z.string().regex(/^thr_[A-Za-z0-9]{1,32}$/),
  createdAt: count,
  /** Of the program that wrote it. */
  program: z.string().max(100),
  entries: z.array(entrySchema).readonly(),
})

export type FileEntry = z.infer<typeof entrySchema>
export type Manifest = Readonly<z.infer<typeof manifestSchema>>

export const MAGIC = 'reprise-thread-file\n'

/** The whole head. Without a key, the file is unsigned. */
export function writeHead(
  manifest: Omit<Manifest, 'format' | 'key'>,
  key: StoreKey | null,
): string {
  const signed = { format: 1 as const, key: key?.publicKey ?? null, ...manifest }
  const text = `${MAGIC}${JSON.stringify(signed)}\n`
  return `${text}${hashText(text)} ${key === null ? '-' : signText(text, key)}\n`
}

export type ReadHead = {
  readonly manifest: Manifest
  /** Names this very file: the SHA-256 of its first two lines. */
  readonly sha256: string
}

/** `lines`: the three lines of the head, without their ends. Refuses every head that the writer would not have written. */
export function readHead(
  [magic, json, seal]: readonly [string, string, string],
  limits: FileLimits = FILE_LIMITS,
): ReadHead {
  if (`${magic}\n` !== MAGIC) throw notOurs()
  const text = `${magic}\n${json}\n`
  const sealed = /^([0-9a-f]{64}) (-|[A-Za-z0-9_-]{86})$/.exec(seal)
  if (sealed?.[1] !== hashText(text)) throw damaged('its list of contents was changed')
  const manifest = manifestIn(json)
  const isSigned = manifest.key !== null
  if (isSigned !== (sealed[2] !== '-')) throw damaged('its key and its signature do not fit')
  if (manifest.key !== null && !isSignedBy(manifest.key, text, sealed[2] ?? ''))
    throw damaged('its signature is not valid')
  checkEntries(manifest.entries, limits)
  return { manifest, sha256: sealed[1] }
}

function manifestIn(json: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw damaged('its list of contents is not JSON')
  }
  if (isNewer(value)) {
    const hint = 'Upgrade Reprise on this machine.'
    throw new RepriseError('bad-input', 'a newer Reprise has written this thread file', hint)
  }
  const read = manifestSchema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw damaged(`its list of contents is wrong at ${issue?.path.join('.') || 'its beginning'}`)
}

function isNewer(value: unknown): boolean {
  const format = typeof value === 'object' && value !== null && 'format' in value && value.format
  return typeof format === 'number' && format > 1
}

function checkEntries(entries: readonly FileEntry[], limits: FileLimits): void {
  if (entries.length > limits.entries) throw tooLarge(`it has ${entries.length} entries`)
  const isInOrder = LISTS.every((kind, at) => entries[at]?.kind === kind)
  const blobs = entries.slice(LISTS.length)
  if (!isInOrder || blobs.some(({ kind }) => LISTS.some(list => list === kind)))
    throw damaged('its lists are not those of a thread')
  if (blobs.some(({ kind, of }) => (of === null) !== (kind === 'bundle')))
    throw damaged('an entry does not say what it belongs to')
  const names = blobs.map(({ kind, of }) => `${kind} ${of?.toLowerCase()}`)
  if (new Set(names).size < names.length) throw damaged('an entry is there twice')
  const held = entries.slice(0, LISTS.indexOf('events'))
  if (sizeOf(held) > limits.listBytes) throw tooLarge(`its lists have ${sizeOf(held)} bytes`)
  if (sizeOf(entries) > limits.unpackedBytes) throw tooLarge(`it holds ${sizeOf(entries)} bytes`)
  for (const entry of entries) {
    if (isPackedTooTight(entry, limits))
      throw tooLarge(`its ${entry.kind} is packed more than ${limits.ratio} times`)
  }
}

function sizeOf(entries: readonly FileEntry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0)
}

/** What is packed so tightly is more likely made to fill a disk than to be read. */
export function isPackedTooTight(
  { bytes, size }: Pick<FileEntry, 'bytes' | 'size'>,
  { ratio }: FileLimits,
): boolean {
  return size > FREE_RATIO_BYTES && size > bytes * ratio
}

export function notOurs(): RepriseError {
  const hint = 'Give a file that `reprise threads export` has written.'
  return new RepriseError('bad-input', 'this is not a thread file of Reprise', hint)
}

export function damaged(why: string): RepriseError {
  const hint = 'Nothing was imported. Export the thread again: reprise threads export THREAD.'
  return new RepriseError('bad-input', `this thread file cannot be used: ${why}`, hint)
}

export function tooLarge(why: string): RepriseError {
  const hint = 'Nothing was imported. See docs/thread-files.md for what a thread file may hold.'
  return new RepriseError('too-large', `this thread file is too large: ${why}`, hint)
}
