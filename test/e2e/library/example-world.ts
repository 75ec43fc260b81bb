// A directory of its own in which examples run, with the fake agent as `claude` on the PATH.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readJournal } from '../../../src/testing/fake-agent/executable.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { builtFakeAgent } from '../../fake-agent.ts'
import { type Ended, ended } from '../cli/cli-world.ts'

type Started = {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with what it has printed as soon as the condition holds; rejects when the program ends before. */
  until(isSo: (out: string) => boolean): Promise<string>
}

type SeenFrame = { readonly id: string; readonly type: string; readonly text: string }

export class ExampleWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-example-')))
  readonly agentFiles = this.path('agent')
  readonly #children: ChildProcess[] = []

  async open(): Promise<this> {
    const agent = await builtFakeAgent(this.root)
    const variables = {
      FAKE_AGENT_SCRIPT: this.path('script.json'),
      FAKE_AGENT_JOURNAL: this.path('journal'),
      CLAUDE_CONFIG_DIR: this.agentFiles,
    }
    const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`)
    mkdirSync(this.path('bin'))
    const lines = ['#!/bin/sh', ...exports, `exec '${agent}' "$@"`, '']
    writeFileSync(this.path('bin/claude'), lines.join('\n'), { mode: 0o755 })
    this.script([])
    return this
  }

  close(): void {
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGKILL')
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }

  path(name: string): string {
    return join(this.root, name)
  }

  script(script: FakeScript): void {
    writeFileSync(this.path('script.json'), JSON.stringify(script))
  }

  journal() {
    return readJournal(this.path('journal'))
  }

  start(example: string, ...args: readonly string[]): Started {
    const file = fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url))
    const { PATH = '' } = process.env
    const env = {
      PATH: `${this.path('bin')}:${PATH}`,
      HOME: this.root,
      TMPDIR: this.root,
      CLAUDE_CONFIG_DIR: this.agentFiles,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    }
    const child = spawn(process.execPath, [file, ...args], { cwd: this.root, env })
    this.#children.push(child)
    let out = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      out += text
    })
    const until: Started['until'] = async isSo => {
      while (!isSo(out)) {
        if (child.exitCode !== null) throw new Error(`${example} ended: ${(await end).err}`)
        await sleep(10)
      }
      return out
    }
    const end = ended(child)
    return { child, ended: end, until }
  }

  async run(example: string, ...args: readonly string[]): Promise<Ended> {
    return this.start(example, ...args).ended
  }

  /** The frames of a stream, up to the first that fits, or to its end. */
  async frames(
    response: Response,
    isLast: (frame: SeenFrame) => boolean = () => false,
  ): Promise<readonly SeenFrame[]> {
    const seen: SeenFrame[] = []
    let text = ''
    for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(
      new TextDecoderStream(),
    )) {
      text += piece
      const whole = text.split('\n\n')
      text = whole.pop() ?? ''
      for (const frame of whole.map(parseFrame)) {
        seen.push(frame)
        if (isLast(frame)) return seen
      }
    }
    return seen
  }
}

function parseFrame(frame: string): SeenFrame {
  const [, id = '', data = '{}'] = /^id: (.*)\ndata: (.*)$/s.exec(frame) ?? []
  const { type = '', text = '' } = JSON.parse(data)
  return { id, type, text: type === 'text' ? text : '' }
}
