// What a checkpoint of a large work dir takes, against reading and storing every file anew: of files that git knows, and of new ones.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeCheckpoint } from '../src/checkpoints/checkpoints.ts'
import { findRepository, isRepository } from '../src/checkpoints/repository.ts'
import { createGit } from '../src/runner/git.ts'
import { compare, interleave, milliseconds, numberFlag, print, report } from './measure.ts'

const FILES = numberFlag('files', 50_000)
const ROUNDS = numberFlag('rounds', 3)
const TARGETS = { known: 0.5, new: 1 }

const home = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-bench-')))
const root = join(home, 'project')
const env = { PATH: process.env.PATH, HOME: home }
const git = createGit(env)

try {
  writeFiles()
  const known = await compareKnown()
  const fresh = await compareNew()
  process.exitCode = known && fresh ? 0 : 1
} finally {
  rmSync(home, { recursive: true, force: true })
}

async function compareKnown(): Promise<boolean> {
  begin()
  user(['add', '--all'])
  user(['-c', 'user.name=U', '-c', 'user.email=u@example.org', 'commit', '--quiet', '-m', 'all'])
  const lanes = [
    { name: 'anew', run: storeAnew },
    { name: 'checkpoint', run: checkpoint },
  ]
  const samples = await interleave(lanes, ROUNDS)
  show(`${FILES} files that git knows, ${ROUNDS} rounds`, samples)
  return report('  checkpoint / anew', compare(samples, 'checkpoint', 'anew'), TARGETS.known)
}

async function compareNew(): Promise<boolean> {
  const objects = { anew: 0, checkpoint: 0 }
  const lane = (name: keyof typeof objects, run: () => Promise<void> | void) => ({
    name,
    run: async () => {
      await run()
      objects[name] = looseObjects()
      begin()
    },
  })
  begin()
  const samples = await interleave(
    [lane('anew', storeAnew), lane('checkpoint', checkpoint)],
    ROUNDS,
  )
  show(`${FILES} new files, ${ROUNDS} rounds`, samples)
  print('  loose objects', `${objects.anew} anew, ${objects.checkpoint} by a checkpoint`)
  return report('  checkpoint / anew', compare(samples, 'checkpoint', 'anew'), TARGETS.new)
}

/** Every file is read and stored, and listed in an empty index. */
function storeAnew(): void {
  const index = { GIT_INDEX_FILE: join(home, 'index') }
  rmSync(index.GIT_INDEX_FILE, { force: true })
  const paths = user(['ls-files', '--cached', '--others'])
  const blobs = user(['hash-object', '-w', '--no-filters', '--stdin-paths'], paths).split('\n')
  const lines = paths.trimEnd().split('\n')
  const info = lines.map((path, at) => `100644 ${blobs[at]}\t${path}\n`).join('')
  user(['update-index', '--index-info'], info, index)
  user(['write-tree'], '', index)
}

async function checkpoint(): Promise<void> {
  const found = await findRepository(git, root)
  if (!isRepository(found)) throw new Error(found.detail)
  const taking = { jobId: 'job_bench', kind: 'before', attempt: null, at: 0 } as const
  await takeCheckpoint(git, found, taking)
}

function begin(): void {
  rmSync(join(root, '.git'), { recursive: true, force: true })
  user(['init', '--quiet'])
  // Git would tidy up beside what is measured.
  user(['config', 'gc.auto', '0'])
}

function looseObjects(): number {
  return Number(user(['count-objects']).split(' ')[0])
}

function writeFiles(): void {
  for (let at = 0; at < FILES; at += 1) {
    const directory = join(root, `d${at % 50}`, `e${Math.floor(at / 1_000)}`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, `f${at}.txt`), `line of file ${at}\n`.repeat(40))
  }
}

function user(args: readonly string[], input = '', more: NodeJS.ProcessEnv = {}): string {
  const options = { cwd: root, env: { ...env, ...more }, input, maxBuffer: 2 ** 30 }
  return execFileSync('git', args, { ...options, encoding: 'utf8' })
}

function show(title: string, samples: ReadonlyMap<string, readonly number[]>): void {
  process.stdout.write(`${title}\n`)
  for (const [name, values] of samples) print(`  ${name}`, milliseconds(values))
}
