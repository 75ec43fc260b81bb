// A world in which a program calls the agent by itself: alone, or through `reprise-claude`.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { claudeCode, createReprise, type LocalReprise, sqlite } from '../../../src/index.ts'
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

  /** The data directory of Reprise in front of the program. */
  get home(): string {
    return this.harness.path('drop-in')
  }

  /** The environment of a call; the model knows calls by it. */
  environment(): Record<string, string> {
    this.#calls += 1
    return {
      ...this.harness.agentEnv,
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      REPRISE_NODE: process.execPath,
      REPRISE_HOME: this.home,
      REPRISE_CLAUDE: this.executable,
      REPRISE_RUN_ID: `run_call${this.#calls}`,
      ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    }
  }

  /** What a call prints, without ids, times and numbers. */
  async print(file: string, args: readonly string[], stdin = ''): Promise<Printed> {
    const { code, out, err } = await this.call(file, args, stdin)
    return { code, out: anonymous(out), err: anonymous(err) }
  }

  /** What Reprise has on record of the calls. */
  record(): LocalReprise {
    return createReprise({
      store: sqlite(join(this.home, 'reprise.db')),
      agents: [claudeCode({ executable: this.executable })],
      dataDir: this.home,
      environment: { PATH: process.env.PATH },
    })
  }

  /** `id`: by which the model knows a call of the program alone. */
  async call(
    file: string,
    args: readonly string[],
    stdin = '',
  ): Promise<Printed & { readonly id: string }> {
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
    return { code, out, err, id: env.REPRISE_RUN_ID ?? '' }
  }
}

export function anonymous(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\b(msg|toolu|req)_[A-Za-z0-9]+/g, '$1_ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/-?\d+(\.\d+)?(e-?\d+)?/g, 'N')
}
