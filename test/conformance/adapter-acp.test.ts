// The adapter for agents over ACP, held against what the real programs said.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { acpAdapter } from '../../src/adapters/acp/index.ts'
import { ACP_PROGRAMS } from '../../src/adapters/acp/programs.ts'
import type { Runtime } from '../../src/adapters/adapter.ts'
import { type AdapterCase, adapterConformance } from '../../src/testing/adapter-conformance.ts'
import { ACP_PROGRAMS as REAL_PROGRAMS } from '../agents/agent-programs.ts'
import { PROVEN, type Proven } from '../agents/proven.ts'

type Said = {
  readonly agent?: { readonly id?: number }
  readonly client?: { method?: string; params?: { sessionId?: string } }
}

const TIME = '<current_datetime>2026-01-01T00:00:00.000+00:00</current_datetime>\n\n'
/** It adds the time to every prompt, and the fake model repeats the prompt. */
const LOADED: Readonly<Record<string, string>> = { copilot: `MOCK-OK: ${TIME}Which word?` }

for (const proven of PROVEN.filter(({ way }) => way === 'ACP')) {
  const known = ACP_PROGRAMS.find(({ name }) => name === proven.agent)
  if (!known) throw new Error(`${proven.agent} is not a known program`)
  await adapterConformance(proven.agent, acpAdapter(known), casesOf(proven))
}

function casesOf({ agent, second, errors }: Proven): readonly AdapterCase[] {
  const canLoad = second === 'resume'
  // An agent that tried again in silence was cancelled when the recording was made.
  const outcome = errors[401] === 'silent' ? 'failed/unknown' : `failed/${errors[401]}`
  return [
    caseOf(agent, 'turn', { outcome: 'completed', text: 'I will remember it.' }),
    canLoad
      ? caseOf(agent, 'load', {
          outcome: 'completed',
          text: LOADED[agent] ?? 'MOCK-OK: Which word?',
        })
      : caseOf(agent, 'load', { outcome: 'failed/resume-refused', text: '', sessionId: null }),
    caseOf(agent, 'unknown-session', {
      outcome: 'failed/resume-refused',
      text: '',
      sessionId: null,
    }),
    caseOf(agent, 'error-401', { outcome, text: '' }),
  ]
}

function caseOf(
  agent: string,
  name: string,
  expected: Omit<AdapterCase['expected'], 'sessionId'> & { readonly sessionId?: null },
): AdapterCase {
  const version = REAL_PROGRAMS.find(one => one.name === agent)?.version ?? ''
  const file = join(import.meta.dirname, '../recordings', agent, version, `${name}.jsonl`)
  const said: readonly Said[] = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  const loaded = said.find(({ client }) => client?.method === 'session/load')?.client?.params
  const lines = said.flatMap(({ agent: message }) => (message ? [JSON.stringify(message)] : []))
  const named = /"sessionId":"([^"]+)"/.exec(lines.join('\n'))?.[1] ?? null
  return {
    name: `${version} ${name}`,
    runtime: runtimeOf(agent, version),
    // The models that a recorded program offered have other names.
    model: null,
    stream: lines.join('\n'),
    continuation: loaded?.sessionId
      ? { kind: 'resume', sessionId: loaded.sessionId }
      : { kind: 'new', sessionId: null },
    expected: { sessionId: loaded?.sessionId ?? named, ...expected },
  }
}

function runtimeOf(agent: string, version: string): Runtime {
  return {
    agent,
    executable: agent,
    version,
    abilities: {
      ...{ resume: true, fork: false, forkAtMessage: false },
      ...{ chooseSessionId: false, resumeAcrossWorkDirs: false },
    },
    quirks: [],
    warning: null,
    fingerprint: version,
  }
}
