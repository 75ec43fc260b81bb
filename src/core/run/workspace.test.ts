import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isCommitId,
  refProblem,
  repositoryProblem,
  submoduleAddress,
  transportOf,
  workspaceWords,
} from './workspace.ts'

describe('the address of a repository', () => {
  test.each([
    ['https://example.org/server.git', 'https'],
    ['https://example.org:8443/a/b', 'https'],
    ['ssh://git@example.org/server.git', 'ssh'],
    ['ssh://git@[::1]:2222/server.git', 'ssh'],
    ['git@example.org:me/server.git', 'ssh'],
    ['example.org:server', 'ssh'],
    ['git://example.org/server.git', 'git'],
    ['file:///srv/git/server.git', 'file'],
    ['/srv/git/server.git', 'file'],
    ['/srv/my repositories/server.git', 'file'],
  ] as const)('%s is reached by %s', (address, transport) => {
    expect(repositoryProblem(address)).toBeNull()
    expect(transportOf(address)).toBe(transport)
  })

  test.each([
    ['', 'empty'],
    ['-uhttps://example.org/x', 'begins with `-`'],
    ['--upload-pack=touch /tmp/x', 'begins with `-`'],
    ['ext::sh -c touch% /tmp/x', 'ext:'],
    ['ext::sh', 'ext:'],
    ['fd::17', 'fd:'],
    ['transport::address', 'transport:'],
    ['http://example.org/x.git', 'http:'],
    ['ftp://example.org/x.git', 'ftp:'],
    ['rsync://example.org/x.git', 'rsync:'],
    ['relative/path', 'no form'],
    ['../up', 'no form'],
    ['./here', 'no form'],
    ['//server/share', 'no form'],
    ['ssh://-oProxyCommand=touch/x', 'ssh:'],
    ['ssh://-x@example.org/x', 'ssh:'],
    ['ssh://%2Dx@example.org/x', 'ssh:'],
    ['-oProxyCommand=x:path', 'begins with `-`'],
    ['host:-path', 'host:'],
    ['file://server/share', 'file:'],
    ['https://example.org', 'https:'],
    ['https://example.org/a b', 'https:'],
    ['https://example.org/x\u0000y', 'control character'],
    ['https://example.org/x\ny', 'control character'],
    [`https://example.org/${'x'.repeat(3_000)}`, 'characters'],
  ])('%s is refused', (address, why) => {
    const problem = repositoryProblem(address)
    expect(problem?.what).toContain(why)
    expect(problem?.hint).not.toBe('')
    expect(transportOf(address)).toBeNull()
  })

  test.each([
    'https://me:secret@example.org/x.git',
    'https://token@example.org/x.git',
    'ssh://git:secret@example.org/x.git',
    'https://example.org/x.git?private_token=secret',
  ])('%s: credentials are refused without being repeated', address => {
    const problem = repositoryProblem(address)
    expect(problem?.hint).toContain("worker's own config")
    expect(JSON.stringify(problem)).not.toContain('secret')
    expect(JSON.stringify(problem)).not.toContain('token@')
  })

  test('never begins with a dash or names a helper, whatever passes', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'-:/@.ax%=?~[] \n\0'), maxLength: 24 })
    fc.assert(
      fc.property(fc.oneof(odd, fc.webUrl(), fc.string()), address => {
        if (repositoryProblem(address) !== null) return
        expect(address).not.toMatch(/^-|^[A-Za-z0-9+.-]+::|^[^/].*\s|[\n\0]/)
        expect(transportOf(address)).not.toBeNull()
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a ref', () => {
  test.each(['main', 'feature/x', 'v1.2.3', 'refs/heads/main', 'HEAD', 'ä', 'a'.repeat(40)])(
    '%s is one',
    ref => expect(refProblem(ref)).toBeNull(),
  )

  test.each([
    '',
    '-b',
    '--upload-pack=x',
    '@',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a@{1}',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    'a\nb',
    'x'.repeat(300),
  ])('%j is none', ref => expect(refProblem(ref)).not.toBeNull())

  test('is a commit only when its id is written in full', () => {
    expect(isCommitId('0123456789abcdef0123456789abcdef01234567')).toBe(true)
    expect(isCommitId('0'.repeat(64))).toBe(true)
    expect(isCommitId('0123456')).toBe(false)
    expect(isCommitId('A'.repeat(40))).toBe(false)
  })
})

describe('the address of a submodule', () => {
  test.each([
    ['https://example.org/me/server.git', '../lib.git', 'https://example.org/me/lib.git'],
    ['https://example.org/me/server.git/', '../../you/lib', 'https://example.org/you/lib'],
    ['git@example.org:me/server.git', '../lib.git', 'git@example.org:me/lib.git'],
    ['git@example.org:server.git', '../lib.git', 'git@example.org:lib.git'],
    ['/srv/git/server.git', '../lib.git', '/srv/git/lib.git'],
    ['/srv/git/server.git', './lib', '/srv/git/server.git/lib'],
    ['https://example.org/a', 'https://elsewhere.org/b', 'https://elsewhere.org/b'],
    ['https://example.org/a', 'ext::sh', 'ext::sh'],
  ])('%s and %s give %s', (repository, url, address) => {
    expect(submoduleAddress(repository, url)).toBe(address)
  })
})

test('a repository at a ref in one line', () => {
  expect(workspaceWords({ repository: '/a', ref: null })).toBe('/a')
  expect(workspaceWords({ repository: '/a', ref: 'main' })).toBe('/a at main')
})
