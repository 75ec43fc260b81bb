// A world in which a program calls the agent by itself: alone, or through `reprise-claude`.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createHarness, type Harness } from './harness.ts'
import type { RealVersion } from './program.ts'

export const DROP_IN = fileURLToPath(new URL('../../../bin/reprise-claude', import.meta.url))

export type Printed = { readonly code: unknown; readonly out: string; readonly err: string }

export class DropInWorld {
  readonly harness: Harness
  /** The real program. */
  readonly executable: string
  #calls = 0

  private constructor(harness: Harness, executable: string) {
    this.harness = harness
    this.executable = executable
  }

  static async open(version: RealVersion): Promise<DropInWorld> {
    const harness = await createHarness(version)
    mkdirSync(harness.path('drop-in'), { mode: 0o700 })
    return new DropInWorld(harness, await harness.programs.path('usual'))
  }

  /** The environment of a call; the model knows calls by it. */
  environment(): Record<string, string> {
    this.#calls += 1
    return {
      ...this.harness.agentEnv,
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      REPRISE_NODE: process.execPath,
      REPRISE_HOME: this.harness.path('drop-in'),
      REPRISE_CLAUDE: this.executable,
      REPRISE_RUN_ID: `run_call${this.#calls}`,
      ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    }
  }

  /** What a call prints, without ids, times and numbers. */
  async print(file: string, args: readonly string[], stdin = ''): Promise<Printed> {
    const env = this.environment()
    const child = spawn(file, args, { cwd: this.harness.workDir, env })
    child.stdin.end(stdin)
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', text => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      err += text
    })
    const code = await new Promise(resolve => child.once('close', resolve))
    return { code, out: anonymous(out), err: anonymous(err) }
  }
}

export function anonymous(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\b(msg|toolu|req)_[A-Za-z0-9]+/g, '$1_ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/-?\d+(\.\d+)?(e-?\d+)?/g, 'N')
}
