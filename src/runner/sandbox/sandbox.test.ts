import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { RealSandbox, SandboxTest } from '../../core/run/sandbox.ts'
import { listPids } from '../proc.ts'
import { systemRandom } from '../real-world.ts'
import { type AgentProcess, DEFAULT_LIMITS } from '../runner.ts'
import { createRunner } from '../start.ts'
import { contain, NOT_RELEASED } from './contain.ts'
import { setUp } from './handshake.ts'
import { createSandboxes } from './sandboxes.ts'

const SUPERVISOR = fileURLToPath(new URL('../fixtures/contained-supervisor.mjs', import.meta.url))
const PATH = process.env.PATH ?? '/usr/bin:/bin'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-contained-')))
const data = join(root, 'data')
const work = join(root, 'work')
const needed = join(data, 'instructions', 'needed.md')
const runner = createRunner()

for (const path of [data, work, join(data, 'instructions')]) mkdirSync(path, { mode: 0o700 })
writeFileSync(join(data, 'token'), 'secret')
writeFileSync(needed, 'read me')
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Six ways to outlive an agent: all leave its tree or its environment. `T` makes them findable. */
const shapes = (T: string) => `
setsid env -i sleep ${T} >/dev/null 2>&1 </dev/null &
(setsid sleep ${T} >/dev/null 2>&1 </dev/null &)
nohup sleep ${T} >/dev/null 2>&1 </dev/null &
setsid -f env -i sh -c '(sleep ${T} &)' >/dev/null 2>&1 </dev/null
sh -c 'trap "" HUP INT TERM; env -i sleep ${T}; :' >/dev/null 2>&1 </dev/null &
(cd /; exec >/dev/null 2>&1 </dev/null; setsid env -i sh -c 'trap "" HUP TERM; sleep ${T} & wait' &)
i=0; while [ $i -lt 200 ] && [ "$(grep -lazF ${T} /proc/[0-9]*/cmdline 2>/dev/null | wc -l)" -lt 8 ]; do i=$((i+1)); sleep 0.02; done
echo spread`

let count = 0
/** Seconds that nobody else sleeps. */
const tag = () => {
  count += 1
  return `29${process.pid}.${count}`
}
const survivors = (T: string) => listPids().filter(pid => commandLine(pid).includes(T))

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It ended in the meantime.
  }
}

const sandboxes = createSandboxes()
const HERE: Readonly<Record<RealSandbox, SandboxTest>> = {
  bwrap: await sandboxes.test('bwrap', data),
  namespace: await sandboxes.test('namespace', data),
}

describe.each(['bwrap', 'namespace'] as const)('E-13 contained by %s', sandbox => {
  const here = HERE[sandbox]
  const start = (
    script: string,
    { stdin = '', workDir = work, graceMs = 5_000 } = {},
  ): Promise<AgentProcess> =>
    runner.start(
      {
        file: '/bin/sh',
        args: ['-c', script],
        env: { PATH },
        workDir,
        stdin: Buffer.from(stdin),
        containment: { sandbox, hidden: data, readable: [needed] },
      },
      systemRandom.id('run'),
      { ...DEFAULT_LIMITS, interruptGraceMs: graceMs, terminateGraceMs: graceMs },
    )
  const runScript = async (script: string, stdin = '') => {
    const agent = await start(script, { stdin })
    const lines: string[] = []
    for await (const line of agent.lines) lines.push(line.kind === 'line' ? line.text : line.head)
    return { lines, exit: await agent.exit }
  }

  // This is what users get on a machine without such a sandbox.
  if (!here.works) {
    test('a sandbox that this machine does not have starts nothing and gives a hint', async () => {
      expect(here).toMatchObject({ works: false, hint: expect.stringMatching(/install|allow/i) })
      await expect(start('echo started > ran')).rejects.toMatchObject({ code: 'agent-unusable' })
      expect(existsSync(join(work, 'ran'))).toBe(false)
    })
    return
  }

  test('the data directory is hidden, what the agent needs is not, and the work dir is writable', async () => {
    const { lines, exit } = await runScript(`cat ${needed}; echo; ls ${data}; cat ${data}/token
      echo more > ${needed} && echo WROTE; echo x > ${data}/y && echo WROTE
      umount ${data} && echo UNMOUNTED; unshare -Urm umount ${data} && echo UNMOUNTED
      echo here > written; pwd; echo $(ls -d /proc/[0-9]* | wc -l) processes`)
    expect(lines.slice(0, 3)).toEqual(['read me', 'instructions', work])
    expect(lines[3]).toMatch(/^\d processes$/)
    expect(exit.code).toBe(0)
    expect(readFileSync(join(work, 'written'), 'utf8')).toBe('here\n')
    expect(readFileSync(join(data, 'token'), 'utf8')).toBe('secret')
  })

  test('J-10 a work tree below the data directory is shown, what it borrows can only be read, the rest stays hidden', async () => {
    const tree = join(data, 'workspaces', 'thr_one')
    const cache = join(data, 'repositories', 'x.git')
    for (const path of [tree, cache, join(data, 'workspaces', 'thr_two')]) {
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, 'file'), path)
    }
    const agent = await runner.start(
      {
        file: '/bin/sh',
        args: [
          '-c',
          `pwd; cat ${tree}/file; echo; cat ${cache}/file; echo; echo x > made; echo y > ${tree}/also
          echo x > ${cache}/made && echo WROTE; ls ${data}/workspaces; cat ${data}/token && echo READ
          umount ${cache} && echo UNMOUNTED; mount -o remount,rw ${cache} && echo REMOUNTED`,
        ],
        env: { PATH },
        workDir: tree,
        stdin: Buffer.from(''),
        containment: {
          ...{ sandbox, hidden: data, readable: [needed] },
          ...{ writableDir: tree, readableDirs: [cache] },
        },
      },
      systemRandom.id('run'),
      DEFAULT_LIMITS,
    )
    const lines: string[] = []
    for await (const line of agent.lines) lines.push(line.kind === 'line' ? line.text : line.head)
    await agent.exit
    expect(lines).toEqual([tree, tree, cache, 'thr_one'])
    expect(readdirSync(tree).toSorted()).toEqual(['also', 'file', 'made'])
    expect(readdirSync(cache)).toEqual(['file'])
    for (const name of ['workspaces', 'repositories']) {
      rmSync(join(data, name), { recursive: true })
    }
  })

  test('stdin arrives whole, behind the handshake, and the exit code comes back', async () => {
    const { lines, exit } = await runScript('wc -c; exit 3', 'x'.repeat(3_000_000))
    expect(lines.map(Number)).toEqual([3_000_000])
    expect(exit).toMatchObject({ code: 3, signal: null, endedBy: null, outputCut: false })
  })

  test('0 of six escape shapes survive a normal end', async () => {
    const T = tag()
    const { lines } = await runScript(shapes(T))
    expect(lines).toEqual(['spread'])
    expect(survivors(T)).toEqual([])
  })

  test('0 of six escape shapes survive a kill -9 of the agent, which is reported as such', async () => {
    const T = tag()
    const { lines, exit } = await runScript(`${shapes(T)}; kill -9 $$`)
    expect(lines).toEqual(['spread'])
    expect(exit).toMatchObject({ code: null, signal: 'SIGKILL', endedBy: null })
    expect(survivors(T)).toEqual([])
  })

  test('0 of six escape shapes survive a stop, and the agent is interrupted first', async () => {
    const T = tag()
    const agent = await start(
      `trap 'echo interrupted; exit 0' INT; ${shapes(T)}; while :; do sleep 0.1; done`,
    )
    const lines = agent.lines[Symbol.asyncIterator]()
    expect(await lines.next()).toMatchObject({ value: { text: 'spread' } })
    const stopped = agent.stop('cancelled')
    expect(await lines.next()).toMatchObject({ value: { text: 'interrupted' } })
    await stopped
    expect(await agent.exit).toMatchObject({ code: 0, signal: null, endedBy: 'cancelled' })
    expect(survivors(T)).toEqual([])
  })

  test('an agent that ignores every signal it can is killed', async () => {
    const deaf = `trap '' INT TERM; echo up; while :; do sleep 0.1; done`
    const agent = await start(deaf, { graceMs: 100 })
    const lines = agent.lines[Symbol.asyncIterator]()
    await lines.next()
    await agent.stop('cancelled')
    expect(await agent.exit).toMatchObject({ signal: 'SIGKILL', endedBy: 'cancelled' })
  })

  const supervise = (script: string) =>
    spawn(process.execPath, [SUPERVISOR, systemRandom.id('run'), sandbox, data, work, script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })

  test('0 of six escape shapes survive a kill -9 of Reprise', async () => {
    const T = tag()
    const supervisor = supervise(`${shapes(T)}; sleep ${T}`)
    for await (const line of createInterface({ input: supervisor.stdout })) {
      if (line === 'spread') break
    }
    supervisor.kill('SIGKILL')
    await vi.waitFor(() => expect(survivors(T)).toEqual([]), { timeout: 60_000, interval: 20 })
  })

  test('the start race: an agent never starts when its Reprise dies before `go`', async () => {
    const inside = { file: '/bin/sh', args: ['-c', 'echo started > raced'] }
    const containment = { sandbox, hidden: data, readable: [] }
    const { file, args } = contain(inside, work, containment, sandboxes.offer())
    const directory = openSync(work, 'r')
    const child = spawn(file, args, {
      cwd: work,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe', directory],
    })
    closeSync(directory)
    expect(await setUp(child)).toEqual({ ready: true })
    const exit = once(child, 'exit')
    child.stdin?.end()
    expect(await exit).toEqual([NOT_RELEASED, null])
    expect(existsSync(join(work, 'raced'))).toBe(false)
  })

  test('the start race: a kill -9 of Reprise while the sandbox is set up leaves no agent', async () => {
    const T = tag()
    for (let i = 0; i < 8; i += 1) {
      const supervisor = supervise(`sleep ${T}`)
      const gone = new Promise(resolve => supervisor.once('exit', resolve))
      for await (const line of createInterface({ input: supervisor.stdout })) {
        if (line === 'starting') break
      }
      // From before the spawn to after the agent's start, in steps.
      for (let looks = 0; looks < i * 3; looks += 1) survivors(T)
      supervisor.kill('SIGKILL')
      await gone
    }
    await vi.waitFor(() => expect(survivors(T)).toEqual([]), { timeout: 60_000, interval: 20 })
  })

  test('S14 a work dir that became a link while the sandbox was set up starts nothing', async () => {
    const [place, elsewhere] = [join(root, `swap-${sandbox}`), join(root, `else-${sandbox}`)]
    for (const path of [place, elsewhere]) mkdirSync(path)
    const starting = start('echo started > ran; pwd', { workDir: place })
    // The directory is open and the process is spawned by now; the sandbox has not entered the directory yet.
    renameSync(place, `${place}-away`)
    symlinkSync(elsewhere, place)
    const agent = await starting.catch(error => error)
    if (agent instanceof Error)
      expect(agent).toMatchObject({ code: expect.stringMatching(/bad-input|agent-unusable/) })
    else await agent.exit
    expect(existsSync(join(elsewhere, 'ran'))).toBe(false)
  })

  test.each([
    ['the work dir', { workDir: join(data, 'instructions') }],
    ['the agent', { file: join(data, 'claude') }],
    ['the variable CLAUDE_CONFIG_DIR', { env: { CLAUDE_CONFIG_DIR: join(data, 'claude') } }],
  ])('%s inside the data directory is refused before the start', async (what, wrong) => {
    const command = { file: '/bin/sh', args: [], env: {}, workDir: work, stdin: new Uint8Array() }
    const containment = { sandbox, hidden: data, readable: [] }
    const starting = runner.start({ ...command, ...wrong, containment }, 'run_x', DEFAULT_LIMITS)
    await expect(starting).rejects.toMatchObject({ message: expect.stringContaining(what) })
  })
})
