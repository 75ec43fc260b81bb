// Records what the real agents print, against the fake model API: node scripts/record-agents.ts [agent …].
// The recordings under test/recordings are what the adapters are written from. Run it again for a new version of an agent.
import { ACP_PROGRAMS } from '../test/agents/agent-programs.ts'
import { recordAcp } from '../test/agents/record-acp.ts'
import { recordCodex } from '../test/agents/record-codex.ts'
import { recordPi } from '../test/agents/record-pi.ts'

const RECORDINGS: Readonly<Record<string, () => Promise<void>>> = {
  codex: recordCodex,
  pi: recordPi,
  ...Object.fromEntries(ACP_PROGRAMS.map(program => [program.name, () => recordAcp(program)])),
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !(name in RECORDINGS))
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; known: ${Object.keys(RECORDINGS).join(', ')}`)
  process.exit(2)
}
for (const [name, record] of Object.entries(RECORDINGS))
  if (wanted.length === 0 || wanted.includes(name)) await record()
