import { describe, expect, test } from 'vitest'
import { type Containment, contain, endInside, type Offer } from './contain.ts'
import type { Privilege, Tools } from './tools.ts'

const TOOLS: Tools = {
  bwrap: '/usr/bin/bwrap',
  env: '/usr/bin/env',
  sh: '/bin/sh',
  setpriv: '/usr/bin/setpriv',
  unshare: '/usr/bin/unshare',
  mount: '/bin/mount',
  mkdir: '/bin/mkdir',
  cp: '/bin/cp',
}
const AGENT = { file: '/opt/claude', args: ['--print', '--model', 'x'] }

function lineOf(sandbox: Containment['sandbox'], privilege: Privilege, tools = TOOLS) {
  const containment = { sandbox, hidden: '/data', readable: ['/data/instructions/a.md'] }
  const offer: Offer = { tools, privilege }
  const { file, args } = contain(AGENT, '/work', containment, offer)
  return [file, ...args]
}
const joined = (...how: Parameters<typeof lineOf>) => lineOf(...how).join(' ')

describe('E-13 the command line of a sandbox', () => {
  test('bwrap dies with us, has its own processes, hides the data directory and keeps what is needed', () => {
    expect(joined('bwrap', 'user')).toMatch(
      /^\/usr\/bin\/env --ignore-signal=INT,TERM \/usr\/bin\/bwrap --die-with-parent --unshare-pid --dev-bind \/ \/ --proc \/proc --tmpfs \/data --ro-bind \/data\/instructions\/a.md \/data\/instructions\/a.md --remount-ro \/data --chdir \/work -- \/bin\/sh -c /,
    )
  })

  test.each([
    ['root', '--chdir /work --cap-drop CAP_SYS_ADMIN --'],
    ['root-without-mount', '--unshare-user --cap-drop ALL --dev-bind'],
  ] as const)('bwrap as %s drops what could unmount the hiding place', (privilege, flags) => {
    expect(joined('bwrap', privilege)).toContain(flags)
  })

  test.each([
    [
      'user',
      '--user --map-current-user --keep-caps --pid',
      '--bounding-set=-all --no-new-privs --',
    ],
    ['root', '/usr/bin/unshare --pid --fork', '/usr/bin/setpriv --bounding-set=-sys_admin --'],
  ] as const)('a namespace as %s', (privilege, start, drop) => {
    const line = joined('namespace', privilege)
    expect(line).toMatch(/^\/usr\/bin\/setpriv --pdeathsig KILL -- \/usr\/bin\/unshare /)
    expect(line).toContain(start)
    expect(line).toContain('--kill-child --mount-proc')
    expect(line).toContain(drop)
  })

  test.each(['bwrap', 'namespace'] as const)('%s ends with the agent as it was', sandbox => {
    expect(lineOf(sandbox, 'user').slice(-4)).toEqual([AGENT.file, ...AGENT.args])
  })

  test.each(['bwrap', 'namespace'] as const)('%s says which program is missing', sandbox => {
    const name = sandbox === 'bwrap' ? 'bwrap' : 'unshare'
    expect(() => lineOf(sandbox, 'user', { ...TOOLS, [name]: null })).toThrow(
      `\`${name}\` is not installed`,
    )
  })
})

test.each([
  [
    { code: 137, signal: null },
    { code: null, signal: 'SIGKILL' },
  ],
  [
    { code: 139, signal: null },
    { code: null, signal: 'SIGSEGV' },
  ],
  [
    { code: 143, signal: null },
    { code: 143, signal: null },
  ],
  [
    { code: 0, signal: null },
    { code: 0, signal: null },
  ],
  [
    { code: null, signal: 'SIGKILL' },
    { code: null, signal: 'SIGKILL' },
  ],
])('E-13 the end %j of a sandbox is %j of its agent', (outside, inside) => {
  expect(endInside(outside)).toEqual(inside)
})
