// Stores what git does not have yet, and writes the tree of a private index.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { Git, PrivateDir } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { asked, lineOf } from './repository.ts'

export type File = { readonly path: string; readonly mode: string; readonly bytes: number }

/** The changes that make the index equal to the work tree. */
type Work = {
  /** Lines for `update-index --index-info`. */
  readonly lines: readonly string[]
  /** Files to read and store. */
  readonly links: readonly string[]
  readonly files: readonly File[]
}

/** From this number on, new files go into one pack instead of a loose object each. */
const PACK_FROM = 256
const AT_ONCE = 32
const BYTES_AT_ONCE = 4 * 1024 * 1024

type Known = {
  /** Lines for the index, for files whose content git has. */
  readonly lines: readonly string[]
  readonly others: readonly File[]
}

/** Finds files that git already has. It asks only when there are many. */
export async function knownFiles(
  git: Git,
  { root: cwd }: Repository,
  files: readonly File[],
): Promise<Known> {
  if (files.length < PACK_FROM) return { lines: [], others: files }
  const isOneLine = ({ path }: File) => !path.includes('\n')
  const asking = files.filter(isOneLine)
  const others = files.filter(file => !isOneLine(file))
  const hashed = await asked(git, {
    cwd,
    args: ['hash-object', '--no-filters', '--stdin-paths'],
    stdin: asking.map(({ path }) => `./${path}\n`).join(''),
  })
  const args = ['cat-file', '--batch-check=%(objecttype)']
  const found = await asked(git, { cwd, args, stdin: hashed.stdout })
  const blobs = hashed.stdout.toString('latin1').split('\n')
  const answers = found.stdout.toString('latin1').split('\n')
  const lines: string[] = []
  for (const [index, file] of asking.entries()) {
    if (answers[index] === 'blob') lines.push(`${file.mode} ${blobs[index]}\t${file.path}\0`)
    else others.push(file)
  }
  return { lines, others }
}

/** Stores files in one pack. Returns the lines for the index; a file that was removed meanwhile has none. */
async function importFiles(
  inside: Git,
  { root: cwd, gitDir }: { readonly root: string; readonly gitDir: string },
  files: readonly File[],
): Promise<readonly string[]> {
  const marks = join(gitDir, 'marks')
  const args = ['fast-import', '--quiet', '--depth=0', `--export-marks=${marks}`]
  await asked(inside, { cwd, args, stdin: blobsOf(cwd, files) })
  const lines = (await disk.readFile(marks, 'utf8')).split('\n').filter(Boolean)
  return lines.flatMap(line => {
    const [mark = '', blob = ''] = line.slice(1).split(' ')
    const file = files[Number(mark) - 1]
    return file ? [`${file.mode} ${blob}\t${file.path}\0`] : []
  })
}

async function* blobsOf(root: string, files: readonly File[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < files.length; ) {
    const some = fewOf(files, at)
    const read = await Promise.all(
      some.map(({ path }) => disk.readFile(join(root, path)).catch(() => null)), // Gone meanwhile.
    )
    const first = at
    const blobs = read.flatMap((bytes, index) =>
      bytes ? [Buffer.from(headerOf(first + index, bytes)), bytes, NEWLINE] : [],
    )
    yield Buffer.concat(blobs)
    at += some.length
  }
}

/** The next files to read together: at least one, and no more than memory should hold. */
function fewOf(files: readonly File[], from: number): readonly File[] {
  let bytes = 0
  let to = from
  while (to < files.length && to < from + AT_ONCE && (to === from || bytes < BYTES_AT_ONCE)) {
    bytes += files[to]?.bytes ?? 0
    to += 1
  }
  return files.slice(from, to)
}

/** Marks count from 1. */
const headerOf = (index: number, { length }: Uint8Array) =>
  `blob\nmark :${index + 1}\ndata ${length}\n`

const NEWLINE = Buffer.from('\n')

export async function writeTree(
  inside: Git,
  { gitDir, workTree: cwd }: PrivateDir,
  { lines, links, files }: Work,
): Promise<string> {
  const isMany = files.length >= PACK_FROM
  const packed = isMany ? await importFiles(inside, { root: cwd, gitDir }, files) : []
  const known = [...lines, ...packed]
  if (known.length > 0) {
    const args = ['update-index', '--replace', '-z', '--index-info']
    await asked(inside, { cwd, args, stdin: known.join('') })
  }
  const loose = isMany ? links : [...links, ...files.map(({ path }) => path)]
  if (loose.length > 0) {
    const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
    await asked(inside, { cwd, args, stdin: pathsOf(loose) })
  }
  // Git must not check that all objects of the user exist: a partial clone lacks some.
  const answer = await asked(inside, { cwd, args: ['write-tree', '--missing-ok'] })
  return lineOf(answer) ?? ''
}

export const pathsOf = (paths: readonly string[]) => paths.map(path => `${path}\0`).join('')
