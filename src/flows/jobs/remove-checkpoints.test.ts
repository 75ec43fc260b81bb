// Which checkpoints are removed from which repository, with a git that answers from a list.
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { JobOfCheckpoints } from '../../core/job/checkpoint-keeping.ts'
import type { GitCall } from '../../runner/git.ts'
import {
  findUnknownPlaces,
  keptCheckpoints,
  pruneCheckpoints,
  removeCheckpointsOf,
  removeOrphans,
} from './remove-checkpoints.ts'

const HERE = realpathSync(tmpdir())
const GONE = '/no/such/repository'
const DAY = 24 * 3_600_000

type Place = {
  readonly jobId: string
  readonly gitDir: string
  readonly host: string | null
  readonly job?: JobOfCheckpoints
}
type Given = {
  readonly places?: readonly Place[]
  /** Checkpoints in the repository that is here, by job. */
  readonly refs?: Readonly<Record<string, number>>
  readonly reach?: string
  readonly gitFails?: boolean
  readonly jobs?: readonly string[]
  readonly workDirs?: readonly string[]
}

function world(given: Given) {
  const notes: string[] = []
  const places = [...(given.places ?? [])]
  const refs = Object.entries(given.refs ?? {}).flatMap(([jobId, count]) =>
    Array.from({ length: count }, (_, index) => `refs/reprise/${jobId}/${index + 1}`),
  )
  const git = async ({ cwd, args, stdin }: GitCall) => {
    const [verb = '', second = '', third = ''] = args
    const ok = (stdout: string) => ({ code: 0, stdout: Buffer.from(stdout), stderr: '' })
    if (given.gitFails && verb !== 'rev-parse') return { ...ok(''), code: 1, stderr: 'locked' }
    if (second === '--absolute-git-dir') return ok(`${cwd}\n`)
    if (verb === 'rev-parse' && cwd !== HERE)
      return { ...ok(''), code: 128, stderr: 'not a git repository' }
    if (verb === 'rev-parse') return ok(`false\n${HERE}\n${HERE}\nsha1\n${HERE}\n`)
    if (verb === 'update-ref') notes.push(`forget ${String(stdin).split('\n').length - 1}`)
    if (verb !== 'for-each-ref') return ok('')
    if (second === '--format=%(refname)') return ok(refs.join('\n'))
    const own = refs.filter(ref => ref.startsWith(third))
    return ok(own.map(ref => `${ref}\0c\0t\0{}\0`).join('\n'))
  }
  const store = {
    reach: given.reach ?? 'one-host',
    checkpointPlaces: async ({ jobId }: { jobId?: string } = {}) =>
      places.filter(place => jobId === undefined || place.jobId === jobId),
    forgetCheckpointPlace: async ({ jobId }: Place) => void notes.push(`forget place ${jobId}`),
    keepCheckpointPlace: async (place: Place) => {
      notes.push(`keep place ${place.jobId} ${place.host}`)
      places.push({ ...place, job: 'open' })
    },
    job: async (id: string) => (given.jobs?.includes(id) ? {} : null),
    workDirsWithoutPlace: async () => given.workDirs ?? [],
  }
  const dependencies = {
    ...{ git, store, clock: { now: () => 100 * DAY }, checkpoints: { keepDays: 30 } },
    offer: { host: 'here', sharedRoots: ['/shared'] },
    files: { realpath: async () => null },
    workspaces: { pathOf: () => GONE },
  }
  return { dependencies: dependencies as never, notes }
}

const place = (change: Partial<Place> = {}): Place => ({
  ...{ jobId: 'job_1', gitDir: HERE, host: 'here', job: 'gone', ...change },
})
const done = (change: object) => ({
  ...{ jobId: 'job_1', repository: HERE, count: 0, problem: null, ...change },
})
const JOB = { id: 'job_1', startedAt: 1, checkpointing: 'auto', workspace: null, workDir: HERE }

test('V-6 the checkpoints of a job go from its repository, and the store forgets the place', async () => {
  const { dependencies, notes } = world({ places: [place()], refs: { job_1: 2, job_2: 1 } })
  const removed = await removeCheckpointsOf(dependencies, JOB as never)
  expect(removed).toEqual([done({ state: 'removed', count: 2 })])
  expect(notes).toEqual(['forget 2', 'forget place job_1'])
})

test('V-6 a repository that is gone is forgotten; one without checkpoints is not worth a word', async () => {
  const gone = world({ places: [place({ gitDir: GONE })] })
  expect(await removeCheckpointsOf(gone.dependencies, JOB as never)).toEqual([
    done({ repository: GONE, state: 'gone' }),
  ])
  expect(gone.notes).toEqual(['forget place job_1'])
  const empty = world({ places: [place()] })
  expect(await removeCheckpointsOf(empty.dependencies, JOB as never)).toEqual([])
  expect(empty.notes).toContain('forget place job_1')
})

test('V-6 a place that git could not clear stays in the store for the next try, and the answer says why', async () => {
  const { dependencies, notes } = world({ places: [place()], refs: { job_1: 1 }, gitFails: true })
  expect(await removeCheckpointsOf(dependencies, JOB as never)).toEqual([
    done({ state: 'kept', problem: expect.stringContaining('locked') }),
  ])
  expect(notes).toEqual([])
})

test('V-6 checkpoints that are older than the stored places are found in the work dir, of a job that has begun', async () => {
  const { dependencies } = world({ refs: { job_1: 1 } })
  const removed = async (change: object) =>
    (await removeCheckpointsOf(dependencies, { ...JOB, ...change } as never)).length
  expect(await removed({})).toBe(1)
  expect(await removed({ startedAt: null })).toBe(0)
  expect(await removed({ workDir: GONE })).toBe(0)
  expect(await removed({ checkpointing: 'off' })).toBe(0)
})

test.each([
  ['its own host', 'here', HERE, 'removed'],
  ['no host, from before there were several', null, HERE, 'removed'],
  ['another host', 'there', HERE, 'kept'],
  ['another host, below a root that both share', 'there', '/shared/repo', 'gone'],
])('J-8 a process removes checkpoints of %s: %s %s', async (_, host, gitDir, state) => {
  const places = [place({ host, gitDir })]
  const { dependencies, notes } = world({ places, refs: { job_1: 1 }, reach: 'hosts' })
  const [removed] = await removeCheckpointsOf(dependencies, JOB as never)
  expect(removed?.state).toBe(state)
  expect(notes.includes('forget place job_1')).toBe(state !== 'kept')
  if (state === 'kept') expect(removed?.problem).toBe('host there has them and removes them itself')
})

test('J-8 on a store of one host every place is here, whatever its name was', async () => {
  const { dependencies } = world({ places: [place({ host: 'before' })], refs: { job_1: 1 } })
  expect(await removeCheckpointsOf(dependencies, JOB as never)).toMatchObject([
    { state: 'removed' },
  ])
})

const ended = (days: number) => ({ endedAt: (100 - days) * DAY })

test('J-6 old checkpoints go, those of jobs that are gone too, and those of open jobs stay', async () => {
  const places = [
    place({ jobId: 'job_1', job: ended(31) }),
    place({ jobId: 'job_2', job: ended(29) }),
    place({ jobId: 'job_3' }),
    place({ jobId: 'job_4', job: 'open' }),
    place({ jobId: 'job_5', host: 'there' }),
  ]
  const refs = { job_1: 1, job_2: 1, job_3: 1, job_4: 1, job_5: 1 }
  const { dependencies } = world({ places, refs, reach: 'hosts' })
  const removed = await pruneCheckpoints(dependencies)
  expect(removed.map(({ jobId }) => jobId)).toEqual(['job_1', 'job_3'])
})

test('V-6 checkpoints that were taken while their job was removed go as well', async () => {
  const { dependencies, notes } = world({
    places: [place(), place({ jobId: 'job_2' })],
    refs: { job_1: 1 },
  })
  await removeOrphans(dependencies, 'job_1')
  expect(notes).toEqual(['forget 1', 'forget place job_1'])
})

test('J-6 places that an earlier version did not store are learned, each repository once', async () => {
  const { dependencies, notes } = world({
    workDirs: [GONE, HERE, HERE],
    refs: { job_1: 2, job_2: 1, job_3: 1 },
    places: [place({ jobId: 'job_2' })],
    jobs: ['job_1', 'job_2'],
  })
  await findUnknownPlaces(dependencies)
  expect(notes).toEqual(['keep place job_1 here'])
})

test('J-6 the checkpoints of all repositories that are known here are counted, with what becomes of them', async () => {
  const { dependencies } = world({
    places: [place({ jobId: 'job_1', job: ended(31) }), place({ gitDir: '/there', host: 'there' })],
    refs: { job_1: 2, job_9: 1 },
    reach: 'hosts',
  })
  expect(await keptCheckpoints(dependencies, GONE)).toEqual([
    { jobId: 'job_1', repository: HERE, count: 2, keeping: 'old' },
    { jobId: 'job_9', repository: HERE, count: 1, keeping: 'unknown' },
  ])
  const found = world({ refs: { job_1: 1 }, jobs: ['job_1'] })
  expect(await keptCheckpoints(found.dependencies, HERE)).toEqual([
    { jobId: 'job_1', repository: HERE, count: 1, keeping: 'keep' },
  ])
})
