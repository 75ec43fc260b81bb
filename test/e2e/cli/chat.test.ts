import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { eventually, ServeWorld } from '../daemon/serve-world.ts'
import { ended } from './cli-world.ts'

const QUESTION = {
  question: 'Which database?',
  options: [{ label: 'Postgres', description: 'the elephant' }, { label: 'SQLite' }],
}
const ASKING: FakeScript = [
  { when: 'set it up', once: true, do: [{ type: 'ask', questions: [QUESTION] }] },
  {
    when: 'write it',
    do: [
      { type: 'tool', name: 'Bash', input: { command: 'echo hi' }, result: 'hi', asks: true },
      { type: 'text', text: 'did what I could' },
    ],
  },
]

/** One for all tests of a `describe`: each of them has threads of its own. */
let world: ServeWorld

function useWorld(how: 'alone' | 'over a daemon'): void {
  beforeAll(async () => {
    world = (await new ServeWorld().open()) as ServeWorld
    if (how === 'over a daemon') await world.serve()
  })
  beforeEach(() => world.script([]))
  afterAll(() => world.closeAll())
}

/** What is said in a chat, line by line, inside the test's own process; `openChat` starts the program. */
async function chat(lines: readonly string[], args: readonly string[] = []) {
  const stdin = lines.map(line => `${line}\n`).join('')
  const done = await world.here(['chat', ...args], { stdin, ...world.approving })
  const thread = /reprise chat -t (thr_\w+)/.exec(done.err)?.[1] ?? ''
  return { ...done, thread }
}

/** A chat that is talked to while it is open. */
function openChat(args: readonly string[] = []) {
  const child = world.start(['chat', ...args], world.approving)
  const end = ended(child)
  let seen = ''
  child.stdout?.on('data', chunk => {
    seen += chunk
  })
  child.stderr?.on('data', chunk => {
    seen += chunk
  })
  return {
    type: (line: string) => void child.stdin?.write(`${line}\n`),
    saw: (words: string) => eventually(() => seen.includes(words)),
    interrupt: () => void child.kill('SIGINT'),
    async leave() {
      child.stdin?.end()
      return end
    },
  }
}

describe.each(['alone', 'over a daemon'] as const)('reprise chat %s', how => {
  useWorld(how)

  test('U-1 holds a conversation, and says how to come back to it', async () => {
    const { code, out, err, thread } = await chat(['hello', '', 'and\\', 'more'])
    expect(code).toBe(0)
    expect(out).toBe('echo: hello\necho: more\n')
    expect(err).toContain('start ·')
    expect(err).toContain('resume ·')
    const { messages } = await world.json(['threads', 'show', thread])
    expect(messages.map(({ text }: { text: string }) => text)).toContain('and\nmore')
    const stdin = 'third\n'
    const again = await world.run(['chat', '-t', thread], { stdin, ...world.approving })
    expect(again).toMatchObject({ code: 0, out: 'echo: third\n' })
    expect(again.err).toContain('echo: more')
  })

  test('T-7 asks questions in place: by number, and in one’s own words', async () => {
    world.script(ASKING)
    const { out, err, thread } = await chat(['set it up', '2'])
    expect(err).toContain('? Which database?\n  1 Postgres – the elephant\n  2 SQLite\n')
    expect(out).toContain('"Which database?"="SQLite"')
    const { messages } = await world.json(['threads', 'show', thread])
    expect(messages.at(2)?.text).toContain('"Which database?" SQLite')
  })

  test('T-7 asks for permissions in place; only a yes is a yes', async () => {
    world.script(ASKING)
    const yes = await chat(['write it', 'y'])
    expect(yes.err).toContain(
      '? May it use Bash?\n  $ echo hi\ny Allow once\nr Allow for this run: Bash commands that are exactly `echo hi`\nn Deny\nw Deny with a reason\n',
    )
    expect(yes.err).toContain('✓ Bash echo hi')
    const no = await chat(['write it', 'no, not on a Sunday'])
    expect(no.err).toContain('⊘ Bash echo hi: refused')
    expect(no.out).toContain('did what I could')
  })

  test('T-7 a number that is not an option is asked again; it is never an answer by accident', async () => {
    world.script(ASKING)
    const { out, err } = await chat(['set it up', '3', '1,2', '"3"'])
    expect(err).toContain('3 is not an option: choose 1 to 2, or write "3" in quotes\n')
    expect(err).toContain('only one option can be chosen: choose 1 to 2')
    expect(out).toContain('"Which database?"="3"')
  })

  test('T-7 chat asks again when the person types no choice, takes a reason for a no, and does not ask about a call that was allowed for the run', async () => {
    const bash = (command: string) =>
      ({ type: 'tool', name: 'Bash', input: { command }, result: 'ok', asks: true }) as const
    const steps = [bash('echo hi'), bash('echo hi'), bash('echo ho')]
    world.script([{ do: [...steps, { type: 'text', text: 'did what I could' }] }])
    const { err, out, thread } = await chat(['write it', '1', 'r', 'w', 'say hi only'])
    expect(err).toContain('"1" is not a choice: type y, r, n or w')
    expect(err).toContain(
      '▸ allowed without asking, as this run may: Bash commands that are exactly `echo hi`',
    )
    expect(err.split('? May it use Bash?')).toHaveLength(3)
    expect(err.split('✓ Bash echo hi')).toHaveLength(3)
    expect(err).toContain('⊘ Bash echo ho: refused')
    expect(out).toContain('did what I could')
    const { runs } = await world.json(['threads', 'show', thread])
    const { asked } = await world.json(['runs', 'show', runs.at(-1)?.id ?? ''])
    expect(asked?.map(({ answer }) => answer)).toMatchObject([
      { kind: 'allow', forRun: { by: 'user' } },
      { kind: 'deny', message: 'say hi only' },
    ])
  })

  test('T-7a a question left open is asked again when the chat is opened again', async () => {
    world.script(ASKING)
    const sent = await world.json(['send', '--ask', 'set it up'])
    expect(sent).toMatchObject({ run: { status: 'waiting' }, questions: [{ state: 'open' }] })
    const { out, err } = await chat(['1'], ['-t', sent.threadId])
    expect(err).toContain(`run ${sent.run.id} waits for an answer`)
    expect(out).toContain('"Which database?"="Postgres"')
  })

  test('T-7a leaving chat at a question leaves the question open', async () => {
    world.script(ASKING)
    const { code, err, thread } = await chat(['set it up'])
    expect(code).toBe(0)
    expect(err).toMatch(/run run_\w+ waits for an answer/)
    const { out } = await chat(['2'], ['-t', thread])
    expect(out).toContain('"Which database?"="SQLite"')
  })

  test('T-7 a question that opens elsewhere comes before the next message', async () => {
    const { thread } = await chat(['hello'])
    const child = openChat(['-t', thread])
    await child.saw('hello')
    world.script(ASKING)
    const { run } = await world.json(['send', '--ask', '-t', thread, 'set it up'])
    expect(run.status).toBe('waiting')
    child.type('and then?')
    await child.saw(`run ${run.id} waits for an answer`)
    child.type('2')
    await child.saw('echo: and then?')
    const { code, out } = await child.leave()
    expect(code).toBe(0)
    expect(out.indexOf('="SQLite"')).toBeGreaterThan(-1)
    expect(out.indexOf('="SQLite"')).toBeLessThan(out.indexOf('echo: and then?'))
  })

  test('T-7a a user who does not answer leaves the question open, and chat says that the message was not sent', async () => {
    const { thread } = await chat(['hello'])
    const child = openChat(['-t', thread])
    await child.saw('hello')
    world.script(ASKING)
    const { run } = await world.json(['send', '--ask', '-t', thread, 'set it up'])
    child.type('and then?')
    await child.saw(`run ${run.id} waits for an answer`)
    const { out, err } = await child.leave()
    expect(err).toContain('your message was not sent')
    expect(out).not.toContain('and then?')
    const { runs } = await world.json(['threads', 'show', thread])
    expect(runs.at(-1)).toMatchObject({ id: run.id, status: 'waiting' })
  })

  test('U-1 Ctrl-C ends the turn, not the conversation, and reads as what was asked for', async () => {
    world.script([{ when: 'wait', do: [{ type: 'text', text: 'so far' }, { type: 'hang' }] }])
    const child = openChat()
    child.type('wait')
    await child.saw('so far')
    child.interrupt()
    await child.saw('the run was cancelled')
    child.type('hello')
    await child.saw('echo: hello')
    const { code, err } = await child.leave()
    expect([code, err]).toEqual([0, expect.not.stringContaining('error:')])
  })

  test('T-3 T-4 D-7 /fresh, /edit, /retry, /fork, /why, /cost', async () => {
    const { out, err, code } = await chat([
      'one',
      '/fresh',
      'two',
      '/why',
      '/edit 1 uno',
      '/retry 3 drei',
      '/fork 2',
      'four',
      '/cost',
      '/show',
    ])
    expect(code).toBe(0)
    expect(out).toContain('fresh-session-asked'.slice(0, 5))
    expect(out).toContain('echo: drei')
    expect(out).toContain('echo: four')
    expect(err).toContain('edited; later messages stay')
    expect(err).toMatch(/this is thread thr_\w+ now/)
    expect(err).toMatch(/\$\d\.\d+ in \d runs/)
    expect(out).toMatch(/#1 you .*\n.*uno/)
  })

  test('U-4 chat prints what is wrong, and the conversation goes on', async () => {
    const { out, err, code } = await chat(['/why', '/nonsense', '/edit 9 x', 'hello', '//path'])
    expect(code).toBe(0)
    expect(err).toContain('there is no /nonsense here')
    expect(err).toContain('nothing has been said yet')
    expect(out).toBe('echo: hello\necho: /path\n')
  })
})

describe('reprise runs answer', () => {
  useWorld('alone')

  test('T-7 answers a parked question from another process, and shows how the turn goes on', async () => {
    world.script(ASKING)
    const { run, questions } = await world.json(['send', '--ask', 'set it up'])
    const toolUseId = questions?.[0]?.toolUseId ?? 'none was asked'
    const shown = await world.here(['runs', 'show', run.id])
    expect(shown.out).toContain(toolUseId)
    const wrong = await world.here(['runs', 'answer', run.id, toolUseId, '--allow'])
    expect([wrong.code, wrong.err]).toEqual([
      4,
      expect.stringContaining(`hint: Run \`reprise runs answer RUN ${toolUseId} ANSWER\``),
    ])
    const none = await world.here(['runs', 'answer', run.id, toolUseId])
    expect(none.code).toBe(2)
    const number = await world.here(['runs', 'answer', run.id, toolUseId, '3'])
    expect([number.code, number.err]).toEqual([2, expect.stringContaining('3 is not an option')])
    expect(number.err).toContain('hint: The options are 1 Postgres, 2 SQLite.')
    const right = await world.here(['runs', 'answer', run.id, toolUseId, '1'])
    expect([right.code, right.out]).toEqual([0, expect.stringContaining('="Postgres"')])
    const late = await world.here(['runs', 'answer', run.id, toolUseId, 'Postgres'])
    expect(late.code).toBe(4)
  })

  test('T-7 answers what another process waits for', async () => {
    world.script(ASKING)
    const child = world.start(['send', '--ask', '--json', 'write it'])
    child.stdin?.end()
    const sent = ended(child)
    const asked = await new Promise<string>(resolve => child.stderr?.once('data', resolve))
    const [, runId = '', toolUseId = ''] = /reprise runs answer (\S+) (\S+)/.exec(asked) ?? []
    const { code } = await world.run(
      ['runs', 'answer', runId, toolUseId, '--allow'],
      world.approving,
    )
    expect(code).toBe(0)
    const { run, text } = JSON.parse((await sent).out)
    expect([run.status, text]).toEqual(['completed', 'did what I could'])
  })

  test('T-7 --for-run allows every call of the rule in the run, and asks for no other answer', async () => {
    const step = {
      type: 'tool',
      name: 'Bash',
      input: { command: 'echo hi' },
      result: 'hi',
    } as const
    const asks = { ...step, asks: true } as const
    world.script([{ do: [asks, asks, { type: 'text', text: 'twice' }] }])
    const child = world.start(['send', '--ask', '--stream-json', 'write it'])
    child.stdin?.end()
    const sent = ended(child)
    const asked = await new Promise<string>(resolve => child.stderr?.once('data', resolve))
    const [, runId = '', toolUseId = ''] = /reprise runs answer (\S+) (\S+)/.exec(asked) ?? []
    const answer = (...flags: readonly string[]) =>
      world.run(['runs', 'answer', runId, toolUseId, ...flags], world.approving)
    expect((await answer('--for-run', '--deny')).code).toBe(2)
    expect((await answer('--for-run')).code).toBe(0)
    const { out } = await sent
    const answers = out
      .split('\n')
      .filter(line => line.includes('"type":"answer"'))
      .map(line => JSON.parse(line).answer.forRun)
    expect(answers).toMatchObject([{ by: 'user' }, { by: 'rule' }])
    expect(out).toContain('"text":"twice"')
  })
})
