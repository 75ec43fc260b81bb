// Keeps compiled code between starts, in our own data directory: one that others can write to could feed us code.
// Node's own cache holds a file as it is before it runs, when hardly a function of it is compiled: a turn spent 15 ms on
// compiling the rest, every time. This one is written at the end of a verb, with all that the verb called.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from 'node:vm'
import { homeDirectory } from '../config/home.ts'

type Env = Readonly<Record<string, string | undefined>>
type Compiled = { readonly script: Script; readonly place: string }

const OPENING = '(function (exports, require, module, __filename, __dirname) {'
const CHECKSUM_BYTES = 4

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
    const script = compile(path, read(place))
    if (script.cachedDataRejected !== false) fresh.push({ script, place })
    script.runInThisContext()(module.exports, createRequire(path), module, path, bundle)
  }
  return () => {
    for (const compiled of fresh) keep(compiled)
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
function read(place: string): Buffer | undefined {
  try {
    const bytes = readFileSync(place)
    const data = bytes.subarray(CHECKSUM_BYTES)
    return bytes.readUInt32LE() === checksumOf(data) ? data : undefined
  } catch {
    return undefined // Not there yet, or broken: it is made again.
  }
}

function keep({ script, place }: Compiled): void {
  const data = script.createCachedData()
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32LE(checksumOf(data))
  const draft = `${place}.${process.pid}`
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    writeFileSync(draft, Buffer.concat([checksum, data]), { mode: 0o600 })
    renameSync(draft, place)
  } catch {
    // A full or read-only disk only means that the next start is as slow as this one.
  }
}

function checksumOf(data: Buffer): number {
  return process.getBuiltinModule('node:zlib').crc32(data)
}
