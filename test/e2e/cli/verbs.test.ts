import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CliWorld, ended, LAUNCHER } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open('with a store')
})
afterEach(() => world.close())

describe('send', () => {
  test('D-7 prints the answer on stdout; on stderr why it was no resume, and last decision · tokens · cost', async () => {
    const { code, out, err } = await world.run(['send', 'hello'])
    expect(code).toBe(0)
    expect(out).toBe('echo: hello\n')
    expect(err).toMatch(/^thread (thr_\w+) · run run_\w+\nstart · .+ in .+ out · \$[\d.]+\n$/)
    const threadId = /thr_\w+/.exec(err)?.[0] ?? ''
    const resumed = await world.here(['send', '-t', threadId, 'again'])
    expect(resumed.err).toMatch(/^thread .+\nresume · .+ · saved about .+\n$/)
    const fresh = await world.here(['send', '-t', threadId, '--fresh-session', 'and again'])
    expect(fresh.err).toMatch(
      /^thread .+\nA new session was written with the conversation so far and continued; the prompt was the new message alone: .+\.\nreplay · /,
    )
  })

  test('T-1 continues a thread in another process', async () => {
    world.looksHere = false
    const first = await world.json(['send', 'one'])
    const second = await world.json(['send', '-t', first.threadId, 'two'])
    expect(first).toMatchObject({
      run: { status: 'completed', decision: { action: 'start' }, sessionResumed: false },
      threadId: expect.stringMatching(/^thr_/),
      messageId: expect.stringMatching(/^msg_/),
      text: 'echo: one',
    })
    expect(Object.keys(first).sort()).toEqual(['messageId', 'run', 'text', 'threadId'])
    expect(second.run).toMatchObject({ decision: { action: 'resume' }, sessionResumed: true })
    expect(second.run.sessionId).toBe(first.run.sessionId)
  })

  test('T-3 --fresh-session replays', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const { run } = await world.json(['send', '-t', threadId, '--fresh-session', 'two'])
    expect(run.decision).toMatchObject({ action: 'replay', reason: { code: 'fresh-asked' } })
  })

  test('E-15 --carry note begins a new session with a note; a new thread keeps its --carry, and a preview has its price', async () => {
    const { threadId } = await world.json(['send', '--carry', 'whole', 'one'])
    expect((await world.json(['threads', 'show', threadId])).carry).toBe('whole')
    const { run } = await world.json(['send', '-t', threadId, '--carry', 'note', 'two'])
    expect(run).toMatchObject({
      decision: { action: 'handover', carry: { way: 'note', because: 'set' } },
      handoverNote: { task: 'one' },
    })
    const { out } = await world.here(['send', '-t', threadId, '--preview', '--carry', 'note', 'x'])
    expect(out).toMatch(/▸ +note +[\d,.]+/)
    expect(out).toMatch(/resume .* with carry: whole/)
    const job = await world.json(['jobs', 'submit', '--carry', 'note', 'later'])
    expect(job.policy.carry).toBe('note')
  })

  test('T-8 a thread keeps the instructions of --instructions until another file is given; an empty one clears them', async () => {
    writeFileSync(join(world.workDir, 'brief.md'), 'Be brief.\nAlways.')
    writeFileSync(join(world.workDir, 'empty.md'), '')
    const inForce = async (id: string) =>
      (await world.json(['threads', 'show', id])).instructions ?? null
    const { threadId } = await world.json(['send', '--instructions', 'brief.md', 'one'])
    expect(await inForce(threadId)).toBe('Be brief.\nAlways.')
    await world.json(['send', '-t', threadId, 'two'])
    expect(await inForce(threadId)).toBe('Be brief.\nAlways.')
    const shown = await world.here(['threads', 'show', threadId])
    expect(shown.out).toContain('\ninstructions: Be brief.')
    await world.json(['send', '-t', threadId, '--instructions', 'empty.md', 'three'])
    expect(await inForce(threadId)).toBeNull()
  })

  test('T-1 -c continues the latest thread of the directory, also through a link to it', async () => {
    const nothing = await world.here(['send', '-c', 'one'])
    expect(nothing).toMatchObject({ code: 3, out: '' })
    expect(nothing.err).toContain('Leave -c out to begin one')
    const other = await world.json(['send', '--cwd', world.root, 'elsewhere'])
    const first = await world.json(['send', 'one'])
    const second = await world.json(['send', 'two'])
    const link = world.path('link')
    symlinkSync(world.workDir, link)
    const next = await world.json(['send', '-c', '--cwd', link, 'three'])
    expect(next).toMatchObject({
      threadId: second.threadId,
      run: { decision: { action: 'resume' } },
    })
    await world.json(['send', '-t', first.threadId, 'four'])
    expect(await world.json(['send', '-c', 'five'])).toMatchObject({ threadId: first.threadId })
    const there = await world.json(['send', '-c', '--cwd', world.root, 'six'])
    expect(there.threadId).toBe(other.threadId)
    const both = await world.here(['send', '-c', '-t', first.threadId, 'seven'])
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('not both') })
  })

  test('T-2 another agent answers in the same thread', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const { run } = await world.json(['send', '-t', threadId, '-a', 'second', 'two'])
    expect(run).toMatchObject({ agent: 'second', decision: { action: 'replay' } })
  })

  test.each([
    ['as an argument after --', ['send', '--', '-x'], '', '-x'],
    ['from stdin with -', ['send', '-'], 'piped', 'piped'],
    ['from stdin without an argument', ['send'], 'piped', 'piped'],
    ['that is a slash command', ['send', '/word'], '', '/word'],
    ['that names a file', ['send', '@file'], '', '@file'],
    ['with escape sequences', ['send', 'a\x1b[31mb'], '', 'a\x1b[31mb'],
  ])('H-1 stores a prompt %s as it was written', async (_, args, stdin, stored) => {
    const sent = await world.run([...args.slice(0, 1), '--json', ...args.slice(1)], { stdin })
    expect(sent.code).toBe(0)
    const { threadId } = JSON.parse(sent.out)
    const { messages } = await world.json(['threads', 'show', threadId])
    expect(messages[0]?.text).toBe(stored)
  })

  test('U-1 what a shell pipes in follows the prompt; an open socket on stdin is not waited for', async () => {
    const storedBy = async (child: ChildProcess) => {
      const { threadId } = JSON.parse((await ended(child)).out)
      return (await world.json(['threads', 'show', threadId])).messages[0]?.text
    }
    const shell = (line: string) => {
      const { workDir: cwd, env } = world
      return storedBy(spawn('/bin/sh', ['-c', line, LAUNCHER], { cwd, env }))
    }
    writeFileSync(join(world.workDir, 'notes.txt'), 'noted\n')
    const piped = 'printf "+ new line\\n" | "$0" send --json explain'
    expect(await shell(piped)).toBe('explain\n\n+ new line\n')
    expect(await shell('"$0" send --json explain < notes.txt')).toBe('explain\n\nnoted\n')
    expect(await shell('"$0" send --json explain < /dev/null')).toBe('explain')
    expect(await storedBy(world.start(['send', '--json', 'explain']))).toBe('explain')
  })

  test('S25 shows control characters of an answer instead of sending them to the terminal', async () => {
    world.script([{ do: [{ type: 'text', text: ['a\x1b', ']52;c;x\x07\u009b2J', '\u202e'] }] }])
    const { out } = await world.run(['send', 'hello'])
    expect(out).toBe('a␛]52;c;x␇<U+009B>2J<U+202E>\n')
  })

  test('--stream-json prints an event per line, the end last', async () => {
    const { code, out, err } = await world.run(['send', '--stream-json', 'hello'])
    const events = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(events.map(event => event.type)).toContain('text')
    expect(events.at(-1)).toMatchObject({ type: 'ended', status: 'completed' })
  })

  test('a run that fails is exit 1, with what and a hint, and is on record', async () => {
    world.script([{ do: [{ type: 'apiError', status: 401, kind: 'authentication_error' }] }])
    const { code, err } = await world.run(['send', 'hello'])
    expect(code).toBe(1)
    expect(err).toMatch(/^error: .+\nhint: .+\n/)
    expect(await world.list(['runs', 'ls', '--status', 'failed'])).toHaveLength(1)
  })

  test('--title and --cwd are kept with the thread', async () => {
    await world.run(['send', '--title', 'My work', '--cwd', world.workDir, 'x'], {
      cwd: world.root,
    })
    const [thread] = await world.list(['threads'])
    expect(thread).toMatchObject({ title: 'My work', workDir: world.workDir, turnCount: 1 })
    const like = ['--agent', 'claude-code', '--status', 'completed', '--action', 'start']
    expect(await world.list(['threads', ...like, '--since', '1h'])).toHaveLength(1)
    expect(await world.list(['threads', ...like, '--kind', 'job'])).toEqual([])
  })
})

describe('threads', () => {
  test('show prints positions, ids and decisions; --json the messages', async () => {
    const { threadId, messageId, run } = await world.json(['send', 'one'])
    const { out } = await world.here(['threads', 'show', threadId])
    expect(out).toContain(`#1 you ${messageId}\none\n`)
    expect(out).toContain(`start · ${run.id}\necho: one\n`)
    const thread = await world.json(['threads', 'show', threadId])
    expect(thread.sessions).toMatchObject([{ messageCount: 2 }])
    expect(thread).toMatchObject({
      id: threadId,
      messages: [
        { id: messageId, role: 'user', agent: null, text: 'one', runId: run.id },
        { role: 'assistant', agent: 'claude-code', text: 'echo: one', runId: run.id },
      ],
    })
  })

  test('T-4 edit changes a message by position; the next turn does not resume blindly', async () => {
    const { threadId } = await world.json(['send', 'one'])
    await world.here(['send', '-t', threadId, 'two'])
    expect(await world.json(['threads', 'edit', threadId, '1', 'uno'])).toMatchObject({
      text: 'uno',
    })
    const { messages } = await world.json(['threads', 'show', threadId])
    expect(messages.map((message: { text: string }) => message.text)).toEqual([
      'uno',
      'echo: one',
      'two',
      'echo: two',
    ])
    const { run } = await world.json(['send', '-t', threadId, 'three'])
    expect(run.decision?.action).not.toBe('resume')
  })

  test('T-4 select goes back to an earlier version, and its session is resumed', async () => {
    const { threadId, messageId } = await world.json(['send', 'one'])
    const { run: first } = await world.json(['send', '-t', threadId, 'two'])
    await world.json(['threads', 'edit', threadId, '1', 'uno'])
    await world.json(['send', '-t', threadId, 'three'])
    const { out } = await world.here(['threads', 'show', threadId])
    expect(out).toContain(`uno\n(version 2 of 2; before it ${messageId})\n`)
    const { messages } = await world.json(['threads', 'select', threadId, messageId])
    expect(messages.map((message: { text: string }) => message.text)).toEqual([
      ...['one', 'echo: one', 'two', 'echo: two'],
    ])
    const { run } = await world.json(['send', '-t', threadId, 'four'])
    expect(run).toMatchObject({ decision: { action: 'resume' }, sessionId: first.sessionId })
  })

  test('retry asks again, with other words, and streams like send', async () => {
    const { threadId, messageId } = await world.json(['send', 'one'])
    const { code, out } = await world.run(['threads', 'retry', threadId, messageId, 'two'])
    expect({ code, out }).toEqual({ code: 0, out: 'echo: two\n' })
    const { messages } = await world.json(['threads', 'show', threadId])
    expect(messages.map((message: { text: string }) => message.text)).toEqual(['two', 'echo: two'])
  })

  test('M-3 --preview says what a turn would do and cost, and sends nothing', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const asked = ['send', '-t', threadId, 'two', '--preview']
    const shown = await world.here(asked)
    expect(shown.out).toMatch(/^resume: The agent's own session is resumed/)
    const figures = String.raw`( +[\d,]+){4} +\$[\d.]+ +(warm|cold)`
    expect(shown.out).toMatch(new RegExp(`\n▸ +resume${figures} +chosen: the session can go on`))
    expect(shown.out).toMatch(new RegExp(`\n +replay-native${figures} +with a fresh session\n`))
    expect(shown.out).toMatch(/\ncache: warm: last request .* ago, a cache lives 5 min\n/)
    expect(shown.out).toMatch(/\nrests on: the latest run of this thread\n/)
    expect(await world.json(asked)).toMatchObject({
      action: 'resume',
      estimate: { tokens: expect.any(Number) },
      ways: [
        { way: 'resume', isChosen: true },
        { way: 'note', isChosen: false },
        { way: 'replay-native', isChosen: false },
        { way: 'replay-prompt', isChosen: false },
      ],
    })
    const retry = ['threads', 'retry', threadId, '1', 'uno', '--preview']
    expect(await world.json(retry)).toMatchObject({
      action: 'start',
      notes: ['2 messages leave this branch and stay stored.'],
    })
    const { messages } = await world.json(['threads', 'show', threadId])
    expect(messages).toHaveLength(2)
    const without = await world.here(['send', 'two', '--preview'])
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('-t THREAD')])
  })

  test('truncate drops from a message on', async () => {
    const { threadId } = await world.json(['send', 'one'])
    await world.here(['send', '-t', threadId, 'two'])
    expect((await world.json(['threads', 'truncate', threadId, '#3'])).messages).toHaveLength(2)
  })

  test('fork makes another thread up to a message', async () => {
    const { threadId } = await world.json(['send', 'one'])
    await world.here(['send', '-t', threadId, 'two'])
    const fork = await world.json(['threads', 'fork', threadId, '--at', '2', '--title', 'Other'])
    expect(fork).toMatchObject({ forkedFrom: threadId, title: 'Other' })
    expect(fork.messages).toHaveLength(2)
  })

  test('rm removes', async () => {
    const { threadId } = await world.json(['send', 'one'])
    expect(await world.json(['threads', 'rm', threadId])).toMatchObject({ id: threadId })
    expect((await world.here(['threads', 'show', threadId])).code).toBe(3)
  })

  test('ls finds by text and is limited', async () => {
    await world.here(['send', 'apples'])
    await world.here(['send', 'pears'])
    expect(await world.list(['threads', 'ls', '-q', 'apples'])).toHaveLength(1)
    expect(await world.list(['threads', '--limit', '1'])).toHaveLength(1)
    expect((await world.here(['threads'])).out).toMatch(/^thread .+\n(?:thr_.+\n){2}$/)
  })
})

describe('runs, why, agents, savings, verify', () => {
  test('show a run, its events and the reason for its decision', async () => {
    const { run } = await world.json(['send', 'one'])
    expect(await world.json(['runs', 'show', run.id])).toMatchObject({ id: run.id })
    const events = await world.list(['runs', 'events', run.id])
    expect(events.map(event => event.seq)).toEqual(events.map((_, index) => index + 1))
    const why = await world.json(['why', run.id])
    expect(why).toMatchObject({ action: 'start', words: expect.stringMatching(/first turn/) })
    expect(why.checks).toHaveLength(run.decision?.checks.length ?? 0)
    expect((await world.here(['why', run.id])).out).toContain('✗ prior-turn')
  })

  test('U-3 end a turn whose agent says nothing for longer than the config allows', async () => {
    world.script([{ do: [{ type: 'text', text: 'I think' }, { type: 'hang' }] }])
    world.config({ limits: { silenceMs: 300 } })
    const { code, err } = await world.here(['send', 'one'])
    expect([code, err]).toEqual([1, expect.stringContaining('limits.silenceMs')])
    const [run] = await world.list(['runs'])
    expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'silent' } })
  })

  test('of a failed run show the end of what the agent wrote to stderr', async () => {
    world.script([{ do: [{ type: 'exit', code: 3, withoutResult: true }] }])
    const config = JSON.parse(readFileSync(join(world.home, 'config.yaml'), 'utf8'))
    const loud = world.path('loud-agent')
    const talk =
      'i=0; while [ $i -lt 30 ]; do i=$((i+1)); printf "line %d \\033[31m\\n" $i >&2; done'
    const { executable } = config.agents['claude-code']
    writeFileSync(loud, `#!/bin/sh\n${talk}\nexec "${executable}" "$@"\n`, { mode: 0o755 })
    config.agents['claude-code'].executable = loud
    world.writeConfig(JSON.stringify(config))
    expect(await world.here(['send', 'one'])).toMatchObject({ code: 1 })
    const [run] = await world.list(['runs'])
    const { out } = await world.here(['runs', 'show', run?.id ?? ''])
    expect(out).toMatch(/stderr, its last 10 lines:\n {2}line 21 .*\n(?:.*\n){8} {2}line 30 /)
    expect(out).not.toContain('\u001b')
  })

  test('D-7 why --settings asks again under other settings', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const { run } = await world.json(['send', '-t', threadId, 'two'])
    const file = world.path('other.yaml')
    writeFileSync(file, 'mode: never\n')
    expect(await world.json(['why', run.id])).toMatchObject({ action: 'resume' })
    expect(await world.json(['why', run.id, '--settings', file])).toMatchObject({
      action: 'replay',
      reason: { code: 'resume-off' },
    })
  })

  test('agents prints what was found', async () => {
    const [own, second, ...known] = await world.list(['agents'])
    expect(own).toMatchObject({ name: 'claude-code', found: true, problem: null })
    expect(second).toMatchObject({ name: 'second', found: true, problem: null })
    expect(known.map(({ name, configured }) => [name, configured])).toEqual(
      [
        ...['codex', 'pi', 'opencode', 'gemini', 'qwen', 'copilot', 'kimi'],
        ...['codex-acp', 'claude-agent-acp', 'pi-acp'],
      ].map(name => [name, false]),
    )
    const { out } = await world.here(['agents'])
    expect(out).toContain('codex  not found  codex (not configured)')
    expect(out).toContain('npm install -g @openai/codex')
  })

  test('A-1 U-4 agents says of a program that is there and that does not speak ACP that it is not usable', async () => {
    world.writeConfig('agents: { mine: { adapter: acp, command: [/bin/echo, Hello] } }\n')
    world.looksHere = false
    const { out } = await world.run(['agents'])
    expect(out).toMatch(/^mine {2}not usable {2}/m)
    expect(out).toContain('Hello is not usable: it does not answer the greeting of ACP: Hello')
    expect(out).toContain('Check agents.mine.executable (or agents.mine.command)')
  })

  test('savings adds up; verify finds nothing wrong', async () => {
    const { threadId } = await world.json(['send', 'one'])
    await world.here(['send', '-t', threadId, 'two'])
    const report = await world.json(['savings', '--by', 'thread'])
    expect(report).toMatchObject({ by: 'thread', total: { runs: 2, resumed: 1 } })
    expect(report.rows).toEqual([expect.objectContaining({ key: threadId, runs: 2 })])
    expect(await world.json(['verify'])).toEqual({ ok: true, violations: [] })

    const { out } = await world.here(['savings', '--since', '7d'])
    expect(out).toContain('how runs continued: 100 % of those that could went on in a session')
    expect(out).toMatch(/^start +first-turn +1 +50 % /m)
    const later = await world.json(['savings', '--since', '2999-01-31'])
    expect(later).toMatchObject({ total: { runs: 0 }, reasons: [] })
    expect(await world.here(['savings', '--since', 'yesterday'])).toMatchObject({ code: 2 })
  })

  test('threads rename gives a thread another title', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const { out } = await world.here(['threads', 'rename', threadId, 'Health', 'checks'])
    expect(out).toBe(`${threadId} is now: Health checks\n`)
    const renamed = await world.json(['threads', 'rename', threadId, 'Health'])
    expect(renamed).toMatchObject({ id: threadId, title: 'Health' })
    expect((await world.here(['threads', 'rename', threadId, ' '])).code).toBe(2)
    expect((await world.here(['threads', 'rename', 'thr_none', 'x'])).code).toBe(3)
  })
})
