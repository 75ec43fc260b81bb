import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectReprise } from '../../../src/client/connect.ts'
import type { RunEvent } from '../../../src/index.ts'
import { thisProcess } from '../../../src/runner/real-world.ts'
import { ended } from '../cli/cli-world.ts'
import { appears, eventually, type ServeWorld, useDaemon, useServeWorlds } from './serve-world.ts'

let world: ServeWorld
const take = (opened: ServeWorld) => {
  world = opened
}

function hold() {
  const reached = world.path('reached')
  const release = world.path('release')
  world.script([
    {
      when: 'wait',
      do: [
        { type: 'text', text: 'so far' },
        { type: 'waitForFile', path: release, reached },
      ],
    },
  ])
  return { reached: () => appears(reached), release: () => writeFileSync(release, '') }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

describe('a verb of the CLI', () => {
  useServeWorlds(take)

  test('goes through the daemon when one runs, with the same result', async () => {
    const daemon = await world.serve()
    const sent = await world.json(['send', 'hello'])
    expect(sent).toMatchObject({ text: 'echo: hello', run: { status: 'completed' } })
    const again = await world.run(['send', '-t', sent.threadId, 'again'])
    expect(again).toMatchObject({ code: 0, out: 'echo: again\n' })
    expect(again.err).toMatch(/^thread thr_\w+ · run run_\w+\nresume · /)
    const thread = await world.json(['threads', 'show', sent.threadId])
    expect(thread.messages.map((message: { text: string }) => message.text)).toEqual([
      'hello',
      'echo: hello',
      'again',
      'echo: again',
    ])
    const path = `"method":"POST","path":"/api/threads/${sent.threadId}/turns"`
    expect(world.log.split(path)).toHaveLength(3)
    daemon.signal('SIGTERM')
    await daemon.end
    expect(thread).toMatchObject(await world.json(['threads', 'show', sent.threadId]))
  })

  test('every other verb gives over HTTP what it gives without', async () => {
    const { threadId, run } = await world.json(['send', 'one'])
    await world.json(['send', '-t', threadId, 'two'])
    const verbs = [
      ['threads'],
      ['threads', 'ls', '-n', '1'],
      ['threads', 'show', threadId],
      ['runs'],
      ['runs', '--status', 'completed'],
      ['runs', 'show', run.id],
      ['runs', 'events', run.id],
      ['runs', 'events', run.id, '--after', '2'],
      ['why', run.id],
      ['agents'],
      ['savings'],
      ['verify'],
    ]
    const here = await Promise.all(verbs.map(verb => world.json(verb)))
    const { url } = await world.serve()
    const asked = await world.request(url, `/api/runs/${run.id}/why`)
    expect(await asked.json()).toEqual(here[verbs.findIndex(([verb]) => verb === 'why')])
    for (const [index, verb] of verbs.entries()) {
      // A session says on the wire how many messages it has seen, besides all the rest.
      expect([verb, await world.json(verb)]).toMatchObject([verb, here[index]])
    }
  })

  test('opens the store itself with --no-daemon and REPRISE_NO_DAEMON', async () => {
    await world.serve()
    await world.json(['send', '--no-daemon', 'here'])
    await world.json(['send', 'here too'], { env: { REPRISE_NO_DAEMON: '1' } })
    expect(world.log).not.toContain('"path":"/api/threads"')
    await world.json(['send', 'there'])
    expect(world.log).toContain('"path":"/api/threads"')
    expect(await world.list(['threads'])).toHaveLength(3)
  })

  test('opens the store itself where settings are in force that the daemon does not know', async () => {
    await world.serve()
    const env = { REPRISE_RESUME_MODE: 'never' }
    const { threadId } = await world.json(['send', 'one'], { env })
    const { run } = await world.json(['send', '-t', threadId, 'two'], { env })
    expect(run.decision).toMatchObject({ action: 'replay', reason: { code: 'resume-off' } })
    expect(world.log).not.toContain('"path":"/api/threads"')
  })

  test('the daemon goes by the project of each work dir: thresholds and models', async () => {
    await world.serve()
    const { threadId } = await world.json(['send', 'one'])
    const model = 'claude-opus-4-1'
    const project = { resume: { mode: 'never' }, agents: { 'claude-code': { model } } }
    writeFileSync(join(world.workDir, 'reprise.yaml'), JSON.stringify(project))
    const { run } = await world.json(['send', '-t', threadId, 'two'])
    expect(run).toMatchObject({
      decision: { action: 'replay', reason: { code: 'resume-off' } },
      resumeSettings: { mode: 'never' },
      model,
    })
    const elsewhere = world.path('elsewhere')
    mkdirSync(elsewhere)
    const other = await world.json(['send', 'one'], { cwd: elsewhere })
    const more = await world.json(['send', '-t', other.threadId, 'two'], { cwd: elsewhere })
    expect(more.run.decision?.action).toBe('resume')
    expect(more.run.model).not.toBe(model)
    expect(world.log.split('/turns"')).toHaveLength(5)
  })
})

describe('over one daemon, a verb of the CLI', () => {
  const daemon = useDaemon(take)

  test('edits, retries, truncates, forks and removes over HTTP', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const edited = await world.json(['threads', 'edit', threadId, '1', 'one, better'])
    expect(edited).toMatchObject({ text: 'one, better' })
    expect(await world.json(['threads', 'retry', threadId, '2', 'other words'])).toMatchObject({
      text: 'echo: other words',
      run: { status: 'completed' },
    })
    const fork = await world.json(['threads', 'fork', threadId, '--at', '1', '--title', 'copy'])
    expect(fork).toMatchObject({ title: 'copy', messages: [{ text: 'other words' }] })
    expect((await world.json(['threads', 'truncate', threadId, '2'])).messages).toHaveLength(1)
    expect(await world.json(['threads', 'rm', fork.id])).toMatchObject({ id: fork.id })
    const missing = await world.here(['threads', 'show', fork.id])
    expect(missing).toMatchObject({ code: 3, err: expect.stringContaining('there is no thread') })
  })

  test('keeps its exit codes: busy 4, cancelled 5, wrong use 2', async () => {
    const { reached } = hold()
    const { threadId } = await world.json(['send', 'one'])
    const child = world.start(['send', '--json', '-t', threadId, 'wait'])
    child.stdin?.end()
    const end = ended(child)
    await reached()
    expect((await world.run(['send', '-t', threadId, '--no-wait', 'two'])).code).toBe(4)
    child.kill('SIGINT')
    const { code, out } = await end
    expect([code, JSON.parse(out).run.status]).toEqual([5, 'cancelled'])
    expect((await world.here(['send', '-t', threadId, ' '])).code).toBe(2)
  })

  test('D-7 U-1 why and preview have one shape: over HTTP, and as `reprise why --json`', async () => {
    const { url } = daemon()
    const { threadId, run } = await world.json(['send', 'one'])
    const why = await (await world.request(url, `/api/runs/${run.id}/why`)).json()
    expect(why).toEqual(await world.json(['why', run.id, '--no-daemon']))
    expect(why).toMatchObject({ action: 'start', reason: { code: 'first-turn' } })
    const asked = await world.request(url, `/api/threads/${threadId}/preview`, { method: 'POST' })
    const preview = (await asked.json()) as Record<string, unknown>
    expect(preview).toMatchObject({ action: 'resume', words: expect.any(String) })
    const checks = expect.arrayContaining([expect.objectContaining({ words: expect.any(String) })])
    expect(preview.checks).toEqual(checks)
  })

  test('U-4 a body that is not there, or lacks something, gives an error that names it and says what to do', async () => {
    const { url } = daemon()
    const ask = async (path: string) => {
      const answer = await world.request(url, path, { method: 'POST' })
      const { error } = (await answer.json()) as { readonly error: unknown }
      return { status: answer.status, error }
    }
    expect(await ask('/api/jobs')).toEqual({
      status: 400,
      error: {
        code: 'bad-input',
        message: 'prompt is missing',
        hint: 'See /docs for what is expected.',
      },
    })
    expect(await ask('/api/threads')).toEqual({
      status: 400,
      error: {
        code: 'bad-input',
        message: 'the request does not say where to work',
        hint: 'Give either `workDir` (--cwd) or `workspace` (--repository).',
      },
    })
  })
})

describe('a daemon and the config of a project', () => {
  const daemon = useDaemon(take)

  test.each([
    ['chooses a program', { agents: { 'claude-code': { executable: '/bin/sh' } } }],
    ['chooses an environment', { agents: { 'claude-code': { env: { LD_PRELOAD: '/x' } } } }],
    ['names an agent of its own', { agents: { mine: { model: 'x' } } }],
    ['has a key that nobody knows', { resmue: { mode: 'never' } }],
    ['is a link to what never ends', null],
  ])('S10 U-4 a project that %s is refused, and nothing runs', async (what, project) => {
    const { url } = daemon()
    const workDir = world.path(what)
    mkdirSync(workDir)
    const thread = await world.request(url, '/api/threads', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ workDir }),
    })
    const { id } = (await thread.json()) as { id: string }
    const file = join(workDir, 'reprise.yaml')
    if (project) writeFileSync(file, JSON.stringify(project))
    else symlinkSync('/dev/zero', file)
    const sent = await world.request(url, `/api/threads/${id}/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'hello' }),
    })
    const { error } = (await sent.json()) as { error: { message: string } }
    expect(sent.status).toBe(422)
    expect(error).toEqual({
      code: 'bad-config',
      message: expect.stringContaining(file),
      hint: expect.stringMatching(/\w/),
    })
    expect(await world.list(['runs', 'ls', '--no-daemon'], { cwd: world.root })).toEqual([])
  })
})

describe('S8 a squatter on the port of the daemon', () => {
  useServeWorlds(take)

  const forge = (port: number) => {
    const { host, pid, startTime } = thisProcess()
    const url = `http://127.0.0.1:${port}`
    const file = { host, pid, startTime, startedAt: 0, url, version: '0.0.0' }
    writeFileSync(join(world.home, 'daemon.json'), JSON.stringify(file), { mode: 0o600 })
  }

  test('gets no byte of the token, and the verb goes on without it', async () => {
    writeFileSync(join(world.home, 'token'), `${'s'.repeat(43)}\n`, { mode: 0o600 })
    let received = ''
    const squatter = createServer((request, response) => {
      received += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`
      response.setHeader('x-reprise-proof', 'a'.repeat(43))
      response.end('{"status":"ok","items":[],"nextCursor":null}')
    })
    forge(await listening(squatter))
    const { code, out, err } = await world.run(['send', 'hello'])
    expect([code, out]).toEqual([0, 'echo: hello\n'])
    expect(err).toContain('does not know the token')
    expect(received).toContain('GET /health?nonce=')
    expect(received.trim().split('\n')).toHaveLength(1)
    expect(received).not.toContain('sss')
    expect(await world.here(['doctor'])).toMatchObject({
      code: 70,
      out: expect.stringContaining('does not know the token'),
    })
    squatter.close()
  })

  test('that passes the question on to the real daemon proves nothing either', async () => {
    const daemon = await world.serve()
    let received = ''
    const sockets: Socket[] = []
    const relay = createTcpServer(socket => {
      const onward = connect(daemon.port, '127.0.0.1')
      sockets.push(socket, onward)
      socket.on('data', data => {
        const text = data.toString('latin1')
        received += text
        onward.write(text.replace(/^host: .*$/im, `host: 127.0.0.1:${daemon.port}`))
      })
      onward.pipe(socket)
    })
    const port = await listening(relay)
    const client = connectReprise({ url: `http://127.0.0.1:${port}`, token: world.token })
    await expect(client.threads.list()).rejects.toMatchObject({ code: 'daemon-unreachable' })
    expect(received).toContain('/health?nonce=')
    expect(received).not.toContain(world.token)
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
})

describe('connectReprise to one daemon', () => {
  const daemon = useDaemon(take)

  test('streams the events of a turn as the library does', async () => {
    const reprise = world.connect(daemon())
    const thread = await reprise.threads.create({ workDir: world.workDir, title: 'over HTTP' })
    const turn = thread.send('hello')
    const events: RunEvent[] = []
    for await (const event of turn) events.push(event)
    expect(events[0]).toMatchObject({ type: 'started', decision: { action: 'start' } })
    expect(events.at(-1)).toMatchObject({ type: 'ended', status: 'completed' })
    const text = events.map(event => (event.type === 'text' ? event.text : '')).join('')
    expect(text).toBe('echo: hello')
    expect(await turn.result).toMatchObject({ text: 'echo: hello', threadId: thread.id })
    expect((await thread.preview()).decision.action).toBe('resume')
    const { run } = await turn.result
    const why = await reprise.runs.why(run.id, { mode: 'never' })
    expect(why.decision).toMatchObject({ action: 'start' })
    await expect(reprise.verify()).rejects.toMatchObject({ code: 'bad-input' })
    await reprise.close()
  })

  test('W-1 starts the process of the next turn before its prompt, or says why not', async () => {
    const reprise = world.connect(daemon())
    const thread = await reprise.threads.create({ workDir: world.workDir })
    expect(await thread.preWarm()).toEqual({ waits: false, why: 'not-resumed' })
    await thread.send('one').result
    const waiting = await thread.preWarm()
    expect(waiting).toEqual({ waits: true, ticket: expect.stringMatching(/^pre_/) })
    const { run } = await thread.send('two').result
    expect(run).toMatchObject({ status: 'completed', process: 'warm' })
    expect(await thread.endPreWarm('ticket' in waiting ? waiting.ticket : '')).toEqual({
      ended: false,
    })
    await reprise.close()
  })

  test('says that a turn waits, and goes on in another run when a resume is refused', async () => {
    const reprise = world.connect(daemon())
    const thread = await reprise.threads.create({ workDir: world.workDir })
    await thread.send('one').result
    world.script([{ when: 'two', do: [{ type: 'refuseResume' }] }])
    const types: string[] = []
    // Another model needs another process; the one that waits would refuse nothing.
    const turn = thread.send('two', { model: 'claude-haiku-4-5' })
    for await (const event of turn) types.push(event.type)
    expect(types.filter(type => ['started', 'fallback', 'ended'].includes(type))).toEqual([
      // The session of the agent, then one that Reprise writes, and last the transcript.
      ...['started', 'fallback', 'ended'],
      ...['started', 'fallback', 'ended'],
      ...['started', 'ended'],
    ])
    expect((await turn.result).run).toMatchObject({ status: 'completed', attempt: 3 })
    const { reached, release } = hold()
    const going = thread.send('wait')
    await reached()
    const waiting = thread.send('later')[Symbol.asyncIterator]()
    const { runId } = await going.submitted
    expect((await waiting.next()).value).toMatchObject({ type: 'queued', behind: runId })
    release()
    await going.result
    await reprise.close()
  })

  test('a wrong token gives an error that says so', async () => {
    const { url } = daemon()
    const reprise = connectReprise({ url, token: 'x'.repeat(43) })
    await expect(reprise.agents()).rejects.toMatchObject({ code: 'daemon-unreachable' })
    expect(readFileSync(join(world.home, 'logs', 'daemon.log'), 'utf8')).not.toContain('xxxx')
  })
})

describe('connectReprise', () => {
  useServeWorlds(take)

  test('I10 loses and repeats no event over a restart of the daemon', async () => {
    const { reached } = hold()
    const daemon = await world.serve()
    const reprise = world.connect(daemon)
    const thread = await reprise.threads.create({ workDir: world.workDir })
    const running = thread.send('wait')
    const queued = thread.send('next')
    await reached()
    const { runId } = await queued.submitted
    await eventually(() => existsSync(join(world.home, 'daemon.json')))
    daemon.signal('SIGKILL')
    await daemon.end
    await world.serve(['--port', String(daemon.port)])
    expect((await running.result).run).toMatchObject({
      status: 'interrupted',
      failure: { class: 'supervisor-died' },
    })
    const events: RunEvent[] = []
    for await (const event of queued) events.push(event)
    expect(await queued.result).toMatchObject({ text: 'echo: next', run: { id: runId } })
    expect(events.filter(event => event.type === 'started')).toHaveLength(1)
    const text = events.map(event => (event.type === 'text' ? event.text : '')).join('')
    expect(text).toBe('echo: next')
    await reprise.close()
  })
})
