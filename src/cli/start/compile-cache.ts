// Keeps compiled code between starts, in our own data directory: one that others can write to could feed us code.
// Node's own cache holds a file as it is before it runs, when hardly a function of it is compiled: a turn spent 15 ms on
// compiling the rest, every time. This one is written at the end of a verb, with all that the verb called.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from 'node:vm'
import { homeDirectory } from '../../config/home.ts'

type Env = Readonly<Record<string, string | undefined>>
/** `round`: how many verbs have added to it what they called. */
type Kept = { readonly round: number; readonly data: Buffer }
type Compiled = { readonly script: Script; readonly place: string; readonly round: number }

const OPENING = '(function (exports, require, module, __filename, __dirname) {'
/** A checksum and the round. */
const HEADER_BYTES = 5
/** The first turn of a thread calls other functions than one that goes on. */
const ROUNDS = 3
const UNUSED_MS = 30 * 24 * 3_600_000

/** Gives the function that keeps what was compiled. Only once the data directory is there: help must not create it. */
export function useCompileCache(env: Env, verb = ''): () => void {
  const directory = directoryFor(env, verb)
  if (directory === null) return () => {}
  const fresh: Compiled[] = []
  const bundle = dirname(fileURLToPath(import.meta.url))
  const { extensions } = createRequire(import.meta.url)
  const loadOther = extensions['.js']
  extensions['.js'] = (module, path) => {
    if (dirname(path) !== bundle) return loadOther?.(module, path)
    // Names of the bundle's files change with what is in them.
    const place = join(directory, basename(path))
    const kept = read(place)
    const script = compile(path, kept?.data)
    const round = kept && !script.cachedDataRejected ? kept.round : 0
    if (round < ROUNDS) fresh.push({ script, place, round: round + 1 })
    script.runInThisContext()(module.exports, createRequire(path), module, path, bundle)
  }
  return () => {
    try {
      for (const compiled of fresh) keep(compiled)
      if (fresh.length > 0) forgetOld(directory)
    } catch {
      // A full or read-only disk only means that the next start is as slow as this one.
    }
  }
}

/** Each verb has its own: one calls what the others do not. */
function directoryFor(env: Env, verb: string): string | null {
  if (!/^[a-z]+$/.test(verb)) return null
  try {
    const home = homeDirectory(env)
    return existsSync(home) ? join(home, 'cache', `${process.version}-${process.arch}`, verb) : null
  } catch {
    return null // A wrong REPRISE_HOME is told when the config is loaded.
  }
}

function compile(path: string, cachedData: Buffer | undefined): Script {
  // Not imported: `--version` needs this file, but nothing of it.
  const vm = process.getBuiltinModule('node:vm')
  return new vm.Script(`${OPENING}${readFileSync(path, 'utf8')}\n})`, {
    filename: path,
    columnOffset: -OPENING.length,
    ...(cachedData && { cachedData }),
  })
}

/** Only what was written: the engine trusts it, and would crash at every start. */
function read(place: string): Kept | null {
  try {
    const bytes = readFileSync(place)
    const data = bytes.subarray(HEADER_BYTES)
    return bytes.readUInt32LE() === checksumOf(data) ? { round: bytes.readUInt8(4), data } : null
  } catch {
    return null // Not there yet, or cut: it is made again.
  }
}

function keep({ script, place, round }: Compiled): void {
  const data = script.createCachedData()
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(checksumOf(data))
  header.writeUInt8(round, 4)
  const draft = `${place}.${process.pid}`
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  writeFileSync(draft, Buffer.concat([header, data]), { mode: 0o600 })
  renameSync(draft, place)
}

/** Of earlier builds, and drafts whose process was killed. */
function forgetOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (Date.now() - statSync(path).mtimeMs > UNUSED_MS) rmSync(path, { force: true })
  }
}

function checksumOf(data: Buffer): number {
  return process.getBuiltinModule('node:zlib').crc32(data)
}
