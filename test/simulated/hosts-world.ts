// Hosts that work in one repository, with real git. They share what is kept; each has a data directory of its own. A first work tree
// is made once and copied for each host, because most of the time goes into processes of git.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '../../src/core/job/job.ts'
import { enterWorkspace } from '../../src/flows/workspaces/enter-workspace.ts'
import { type KeptRun, keepFiles } from '../../src/flows/workspaces/keep-files.ts'
import { createGit } from '../../src/runner/git.ts'
import { openWorkspaces } from '../../src/workspaces/workspaces.ts'

export const THREAD = 'thr_1'

type Changes = Readonly<Record<string, string>>

export async function makeOrigin() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-trees-')))
  const env = { PATH: process.env.PATH, HOME: top }
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@localhost']
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim()
  const repository = join(top, 'origin')
  mkdirSync(repository)
  git(repository, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(repository, 'a.txt'), 'one\n')
  writeFileSync(join(repository, '.gitignore'), 'ignored\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '-m', 'first')
  const commit = git(repository, 'rev-parse', 'HEAD')
  const run = createGit(env)
  const holder = { name: 'here', isAlive: () => true }
  const open = (directory: string) => openWorkspaces({ git: run, directory, holder })
  await open(join(top, 'made')).make({ id: THREAD, repository, ref: null, commit })
  const workspace = { repository, ref: null, commit }
  return { top, git, run, open, workspace, remove: () => rmSync(top, { recursive: true }) }
}

export type Origin = Awaited<ReturnType<typeof makeOrigin>>

let worlds = 0

/** What the hosts share: the vault and the store, of which a test may change what it says. */
export function hostsOf({ top, git, run, open, workspace }: Origin) {
  const directory = join(top, `world-${++worlds}`)
  const objects = new Map<string, Uint8Array>()
  const notes: string[] = []
  const says = {
    runs: [] as readonly object[],
    job: null as Partial<Job> | null,
    reach: 'hosts' as 'hosts' | 'one-host',
  }
  const vault = {
    objects: {
      list: async () => [...objects.keys()].toSorted().map(name => ({ name })),
      get: async ({ name }: { name: string }) => objects.get(name) ?? null,
      put: async (
        key: { owner: string; name: string },
        bytes: Uint8Array,
        how: { fence: object; instead: readonly string[] },
      ) => {
        objects.set(key.name, bytes)
        for (const other of how.instead) objects.set(other, new Uint8Array())
        notes.push(
          `kept by ${key.owner} ${JSON.stringify(how.fence)} instead of ${how.instead.length}`,
        )
      },
    },
  }
  const store = {
    get reach() {
      return says.reach
    },
    jobOfThread: async () => says.job,
    thread: async () => null,
    listRuns: async () => says.runs,
    settleCommit: async () => null,
    keepCheckpointPlace: async ({ jobId, host }: { jobId: string; host: string }) =>
      void notes.push(`place of ${jobId} on ${host}`),
  }
  /** A host that has the first work tree, or one that has never seen it but has the clone of the repository. */
  const host = (name: string, has: 'tree' | 'clone' = 'tree') => {
    const data = join(directory, name)
    const made = join(top, 'made')
    cpSync(join(made, 'repositories'), join(data, 'repositories'), { recursive: true })
    if (has === 'tree')
      cpSync(join(made, 'workspaces'), join(data, 'workspaces'), { recursive: true })
    const workspaces = open(data)
    const tree = workspaces.pathOf(THREAD)
    const clock = { now: () => 5_000 }
    const files = { realpath: async (path: string) => path }
    const dependencies = {
      git: run,
      workspaces,
      vault,
      store,
      clock,
      files,
      offer: { host: name },
    } as never
    const enter = () => enterWorkspace(dependencies, { id: THREAD, workspace })
    const write = (changes: Changes) => {
      for (const [path, text] of Object.entries(changes)) writeFileSync(join(tree, path), text)
    }
    const keep = async (token: number, change: Partial<KeptRun> = {}) => {
      const entered = { workDir: tree, owner: says.job?.id ?? THREAD, commit: workspace.commit }
      const kept = { entered: { ...entered, borrowed: [], news: null }, kind: 'after' as const }
      const of = {
        lease: { threadId: THREAD, token },
        run: { jobId: says.job?.id ?? null, attempt: 1 },
      }
      return keepFiles(dependencies, { ...kept, ...of, ...change } as never)
    }
    const read = (path: string) => {
      try {
        return readFileSync(join(tree, path), 'utf8')
      } catch {
        return null // It is not there.
      }
    }
    const inTree = (...args: readonly string[]) => git(tree, ...args)
    const record = () => workspaces.find(THREAD)
    const gitDir = join(tree, '.git')
    const repository = { root: tree, gitDir, commonDir: gitDir, objectFormat: 'sha1' }
    return {
      dependencies,
      workspaces,
      tree,
      enter,
      write,
      keep,
      read,
      record,
      repository,
      git: inTree,
    }
  }
  return { host, objects, notes, says, vault, store }
}
