// Plays a sequence of commands on one thread and checks after every turn what the agent was given.
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Thread, ThreadDetails, Turn, TurnResult } from '../../../src/api.ts'
import type { Question } from '../../../src/core/conversation/question.ts'
import { billedByRun, checkCosts, happen, runOfEntry } from './around-warm.ts'
import { editMessage, forkThread, truncateThread } from './change-thread.ts'
import {
  type Author,
  checkBranch,
  checkEnd,
  checkFurtherSpawns,
  checkKept,
  checkMessages,
  checkSpawn,
  type GivenTurn,
  halvesIn,
  unsentPrompt,
} from './check-turn.ts'
import {
  askingScript,
  type Command,
  fromEnd,
  promptBefore,
  type Sequence,
  scriptOf,
  type TurnCommand,
  waitingScript,
} from './commands.ts'
import { firstEnd } from './first-end.ts'
import { openQuestion } from './open-question.ts'
import { changeFile, tearFile, waitForFile } from './session-files.ts'
import { PROGRAMS, type Supervisor, type World } from './world.ts'

/** How often each thing was seen: shows what the sequences cover. */
export type Counts = Map<string, number>

const ASKING = { questions: 'ask' } as const

export async function play(world: World, sequence: Sequence, counts: Counts): Promise<void> {
  const player = new Player(world, sequence.view, counts)
  await player.begin()
  for (const command of sequence.commands) await player.step(command)
  await player.end()
}

class Player {
  readonly #world: World
  readonly #view: 'all' | 'own'
  readonly #counts: Counts
  readonly #authors = new Map<string, Author>()
  readonly #texts: string[] = []
  readonly #halves = new Set<string>()
  readonly #threadIds: string[] = []
  readonly #runOf = new Map<string, string>()
  // Supervisors that others took for dead.
  readonly #awake: Supervisor[] = []
  #supervisor: Supervisor
  #other: Supervisor | null = null
  #instructions = ''
  #thread: Thread | null = null
  #workDir: string
  #program = 0
  #serial = 0
  #answerText = ''
  #known = 0

  constructor(world: World, view: 'all' | 'own', counts: Counts) {
    this.#world = world
    this.#view = view
    this.#counts = counts
    this.#supervisor = world.supervisor()
    this.#workDir = world.workDirs[0]
  }

  async begin(): Promise<void> {
    const { threads } = this.#supervisor.reprise
    this.#thread = await threads.create({ workDir: this.#workDir, view: this.#view })
    this.#threadIds.push(this.#thread.id)
  }

  /** Nothing is left open, nothing is left running, and nothing is wrong in the store. */
  async end(): Promise<void> {
    const { reprise } = this.#supervisor
    const billed = billedByRun(await this.#world.journal(), this.#runOf)
    for (const threadId of this.#threadIds) {
      const runs = await reprise.runs.list({ threadId, limit: 1_000 })
      expect(runs.filter(({ endedAt }) => endedAt === null)).toEqual([])
      checkCosts(billed, runs)
    }
    expect(await reprise.verify()).toEqual([])
    for (const one of [this.#supervisor, this.#other, ...this.#awake]) await one?.reprise.close()
    expect(this.#world.warm?.running() ?? []).toEqual([])
  }

  async step(command: Command): Promise<void> {
    this.#count(`do ${command.do}`)
    switch (command.do) {
      case 'send':
        return this.#send(command, command.text === 'new' ? this.#text('user') : 'continue-0;')
      case 'retry':
        return this.#retry(command)
      case 'crash':
        return this.#crash(command)
      case 'disk':
        return this.#failingDisk(command)
      case 'oversleep':
        return this.#oversleep(command.inTool)
      case 'ask':
        return this.#ask(command)
      case 'cancel':
        return this.#cancel(command.inTool)
      case 'edit':
        return this.#edit(command.pick, command.text)
      case 'truncate':
        return truncateThread(this.#current, command.pick)
      case 'fork':
        this.#thread = await forkThread(this.#current, command.pick)
        return void this.#threadIds.push(this.#thread.id)
      case 'move':
        this.#workDir = this.#world.workDirs[this.#workDir === this.#world.workDirs[0] ? 1 : 0]
        return
      case 'swap':
        return this.#swap(command.pick)
      case 'prune':
        return changeFile(this.#world, command.pick, path => this.#world.files.remove(path))
      case 'tear':
        return changeFile(this.#world, command.pick, path => tearFile(this.#world, path))
      case 'instruct':
        this.#instructions = `rules ${command.pick}`
        return
      case 'switch':
        return this.#switch()
      default:
        return happen(this.#world, command, () => this.#text('foreign'))
    }
  }

  async #send(command: TurnCommand, prompt: string): Promise<void> {
    const before = await this.#now()
    await this.#answer(command)
    const turn = this.#current.send(prompt, this.#options(command))
    const given = this.#given(before, command.agent, prompt)
    this.#checkEnd(await this.#checked(turn, given), command)
  }

  async #retry(command: Extract<Command, { do: 'retry' }>): Promise<void> {
    const before = await this.#now()
    const message = fromEnd(before.messages, command.pick)
    const { old, messages } = promptBefore(before, message)
    if (!message || !old) return
    await this.#answer(command)
    const prompt = command.text === 'same' ? old.text : this.#text('user')
    const turn = this.#current.retry(message.id, { ...this.#options(command), text: prompt })
    const given = this.#given({ ...before, messages }, command.agent, prompt)
    this.#checkEnd(await this.#checked(turn, given), command)
  }

  /** The supervisor dies somewhere in a turn; the next one finds what it left. */
  async #crash(command: Extract<Command, { do: 'crash' }>): Promise<void> {
    const before = await this.#now()
    if (command.asks) await this.#world.script(askingScript(this.#text('answer')))
    else await this.#answer(command)
    const { fate, declareDead, endProcesses } = this.#supervisor
    const text = this.#text('user')
    const last = command.again ? before.messages.at(-1) : undefined
    const { old, messages } = promptBefore(before, last)
    const given = this.#given({ ...before, messages }, command.agent, text)
    fate.dieAt(command.atCall, command.effect)
    const options = { ...this.#options(command), ...(command.asks && ASKING) }
    const { send, retry } = this.#current
    const turn = old ? retry(old.id, { ...options, text }) : send(text, options)
    const hasEnded = await Promise.race([firstEnd(turn), fate.died.then(() => false)])
    this.#count(hasEnded ? 'crash came too late' : 'crash')
    declareDead()
    await endProcesses()
    if (command.meanwhile === 'swap') await this.#swap(this.#program + 1)
    await this.#reopen()
    const question = await openQuestion(this.#supervisor.reprise, this.#current.id)
    if (!question) {
      await this.#checkAfter(given, before)
      return this.#sendUnsent(command, given, before)
    }
    this.#count('crash kept a question')
    await this.#checkSpawns(given)
    await this.#reply({ ...command, fresh: false, behaviour: 'answers' }, question)
  }

  /** I1: a prompt whose turn never came can still be sent. */
  async #sendUnsent(command: TurnCommand, given: GivenTurn, before: ThreadDetails): Promise<void> {
    const after = await this.#now()
    const unsent = unsentPrompt(given, { before, after })
    if (unsent === null) return
    this.#count('crash left a prompt unsent')
    await this.#answer({ ...command, behaviour: 'answers' })
    const turn = this.#current.retry(unsent, this.#options(command))
    await this.#checked(turn, this.#given(after, command.agent, given.prompt))
  }

  /** What could not be written is written at the next call, with all that the agent did. */
  async #failingDisk(command: Extract<Command, { do: 'disk' }>): Promise<void> {
    const before = await this.#now()
    await this.#answer(command)
    const prompt = this.#text('user')
    const given = this.#given(before, command.agent, prompt)
    this.#supervisor.fate.failAt(command.atCall, command.times)
    const result = await this.#current.send(prompt, this.#options(command)).result.catch(String)
    this.#count(typeof result === 'string' ? 'disk failed' : 'disk failed unnoticed')
    this.#supervisor.fate.failAt(Number.POSITIVE_INFINITY, 0)
    await this.#checkAfter(given, before)
  }

  /** A process that was only asleep finds that it lost its lease: it may change nothing any more. */
  async #oversleep(inTool: boolean): Promise<void> {
    const before = await this.#now()
    const prompt = this.#text('user')
    const given = this.#given(before, 'first', prompt)
    const turn = await this.#startWaiting(prompt, inTool)
    const { fate, declareDead } = this.#supervisor
    fate.fallAsleep()
    declareDead()
    this.#awake.push(this.#supervisor)
    await this.#reopen()
    await this.#checkAfter(given, before)
    const taken = await this.#now()
    fate.wake()
    await expect(turn.result).rejects.toMatchObject({ code: 'lease-lost' })
    expect(await this.#now()).toEqual(taken)
  }

  /** T-7a: what the reply is given is what every turn is given: all of the view, once, no matter which process brings it. */
  async #ask(command: Extract<Command, { do: 'ask' }>): Promise<void> {
    const before = await this.#now()
    const prompt = this.#text('user')
    await this.#world.script(askingScript(this.#text('answer')))
    const turn = this.#current.send(prompt, { ...this.#options(command), ...ASKING })
    for await (const event of turn) if (event.type === 'question') break
    await this.#checkSpawns(this.#given(before, command.agent, prompt))
    const question = await openQuestion(this.#supervisor.reprise, this.#current.id)
    if (!question) throw new Error('nothing is asked')
    this.#count(`question ${command.afterwards}`)
    if (command.afterwards === 'cancel') {
      await this.#supervisor.reprise.runs.cancel(question.runId)
      expect((await turn.result).run.status).toBe('cancelled')
      return
    }
    if (command.afterwards !== 'answer') await this.#restart(command.afterwards)
    await this.#reply(command, question)
  }

  async #restart(how: 'restart' | 'swap'): Promise<void> {
    this.#supervisor.declareDead()
    await this.#supervisor.endProcesses()
    if (how === 'swap') await this.#swap(this.#program + 1)
    await this.#reopen()
  }

  async #reply(command: TurnCommand, { runId, toolUseId }: Question): Promise<void> {
    const before = await this.#now()
    await this.#answer(command)
    const content = this.#text('user')
    const { turn } = await this.#supervisor.reprise.runs.answer(runId, { toolUseId, content })
    if (!turn) throw new Error('the answer led nowhere')
    const given = this.#given(before, command.agent, content)
    this.#checkEnd(await this.#checked(turn, given), command)
  }

  async #cancel(inTool: boolean): Promise<void> {
    const before = await this.#now()
    const prompt = this.#text('user')
    const turn = await this.#startWaiting(prompt, inTool)
    await turn.cancel()
    const { run } = await this.#checked(turn, this.#given(before, 'first', prompt))
    expect(run.status).toBe('cancelled')
  }

  async #startWaiting(prompt: string, inTool: boolean): Promise<Turn> {
    const gate = ++this.#serial
    const reached = join(this.#world.root, `reached-${gate}`)
    const go = join(this.#world.root, `go-${gate}`)
    await this.#world.script(waitingScript(this.#text('answer'), { go, reached }, inTool))
    const turn = this.#current.send(prompt, this.#options({ agent: 'first', fresh: false }))
    await waitForFile(this.#world, reached)
    return turn
  }

  async #edit(pick: number, text: 'new' | 'earlier'): Promise<void> {
    const earlier = this.#texts[pick % this.#texts.length]
    const words = () => (text === 'earlier' && earlier ? earlier : this.#text('edit'))
    await editMessage(this.#current, pick, words)
  }

  /** Both live on, and each keeps its processes. */
  async #switch(): Promise<void> {
    const other = this.#other ?? this.#world.supervisor()
    ;[this.#other, this.#supervisor] = [this.#supervisor, other]
    this.#thread = await other.reprise.threads.get(this.#current.id)
  }

  async #swap(pick: number): Promise<void> {
    this.#program = pick % PROGRAMS
    await this.#world.swap(this.#program)
  }

  /** Waits for the end of a turn, then looks at every process that was started for it. */
  async #checked(turn: Turn, given: GivenTurn): Promise<TurnResult> {
    const result = await turn.result
    this.#count(`ended ${result.run.status}`)
    await this.#checkSpawns(given)
    checkMessages(given, result, await this.#now())
    return result
  }

  async #checkSpawns(given: GivenTurn): Promise<void> {
    const journal = await this.#world.journal()
    const entries = journal.slice(this.#known)
    this.#known = journal.length
    const started = []
    for (const entry of entries) {
      const run = await runOfEntry(this.#supervisor.reprise, given.threadId, entry)
      if (entry.turn === 1) checkSpawn(entry, run, given)
      else checkKept(entry, run, given)
      if (this.#instructions) expect(entry.instructions).toBe(this.#instructions)
      this.#remember(entry.sessionId, given)
      this.#runOf.set(entry.id, run.id)
      this.#count(`action ${run.decision?.action}`, `process ${run.process}`)
      if (run.decision?.action === 'replay') this.#count(`replay ${run.decision.form}`)
      started.push(run)
    }
    checkFurtherSpawns(started)
    if (started.length > 1) this.#count('second spawn')
  }

  #remember(sessionId: string | null, { threadId, agent, workDir, program }: GivenTurn): void {
    if (sessionId !== null) this.#authors.set(sessionId, { threadId, agent, cwd: workDir, program })
  }

  /** After a death: what was there is there, the prompt was taken whole or not at all. */
  async #checkAfter(given: GivenTurn, before: ThreadDetails): Promise<void> {
    const after = await this.#now()
    await this.#checkSpawns(given)
    checkBranch(given, { before, after })
  }

  #checkEnd(result: TurnResult, { behaviour }: TurnCommand): void {
    this.#count(`agent ${behaviour}`)
    checkEnd(result, { behaviour, answer: this.#answerText })
  }

  async #reopen(): Promise<void> {
    this.#supervisor = this.#world.supervisor()
    this.#thread = await this.#supervisor.reprise.threads.get(this.#current.id)
  }

  async #answer({ behaviour }: TurnCommand): Promise<void> {
    this.#answerText = this.#text('answer')
    await this.#world.script(scriptOf(behaviour, this.#answerText))
  }

  #options({ agent, fresh }: Pick<TurnCommand, 'agent' | 'fresh'>) {
    const rules = this.#instructions && { instructions: this.#instructions }
    return { agent, freshSession: fresh, workDir: this.#workDir, ...(rules || {}) }
  }

  #given(before: ThreadDetails, agent: string, prompt: string): GivenTurn {
    return {
      threadId: before.id,
      agent,
      workDir: this.#workDir,
      program: this.#program,
      branch: before.messages,
      sessions: before.sessions,
      view: this.#view,
      prompt,
      authors: this.#authors,
      halves: this.#halves,
    }
  }

  async #now(): Promise<ThreadDetails> {
    const now = await this.#current.show()
    for (const half of halvesIn(now.messages)) this.#halves.add(half)
    return now
  }

  get #current(): Thread {
    if (this.#thread) return this.#thread
    throw new Error('there is no thread yet')
  }

  #text(kind: string): string {
    const text = `${kind}-${++this.#serial};`
    this.#texts.push(text)
    return text
  }

  #count(...seen: readonly string[]): void {
    for (const what of seen) this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }
}
