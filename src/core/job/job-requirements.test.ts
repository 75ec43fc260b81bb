import { expect, test } from 'vitest'
import { requirementsOfJob, rootAround } from './job-requirements.ts'

const workspace = { repository: '/srv/git/a', ref: null, commit: null }
const bound = { host: 'build-1', workspace: null, sharedRoot: null, labels: [] }

test.each([
  ['a directory is for its host', bound, { host: 'build-1', root: null, labels: [] }],
  [
    'a shared directory is for all that share it',
    { ...bound, sharedRoot: '/srv' },
    { host: null, root: '/srv', labels: [] },
  ],
  [
    'a repository is for every host, whichever had it last',
    { ...bound, workspace, sharedRoot: '/srv' },
    { host: null, root: null, labels: [] },
  ],
  [
    'a job of an earlier version is for every host',
    { ...bound, host: null },
    { host: null, root: null, labels: [] },
  ],
  [
    'labels come on top',
    { ...bound, labels: ['gpu'] },
    { host: 'build-1', root: null, labels: ['gpu'] },
  ],
])('%s', (_, job, requirements) => {
  expect(requirementsOfJob(job)).toEqual(requirements)
})

test.each([
  ['/srv/a', ['/srv'], '/srv'],
  ['/srv', ['/srv'], '/srv'],
  ['/srv/a/b', ['/srv', '/srv/a'], '/srv/a'],
  ['/srvx/a', ['/srv'], null],
  ['/a', ['/'], '/'],
  ['/a', [], null],
])('%s below %j is shared by %s', (directory, roots, root) => {
  expect(rootAround(directory, roots)).toBe(root)
})
