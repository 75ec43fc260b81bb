// Events as they come: text, tools, the decision, the end. Run: node examples/streaming.ts 'Explain this project'
import { claudeCode, createReprise, type RunEvent, sqlite } from 'reprise'

const [prompt = 'What is this project about?'] = process.argv.slice(2)
const reprise = createReprise({ store: sqlite('example.db'), agents: [claudeCode()] })
const thread = await reprise.threads.create({ workDir: process.cwd() })

const turn = thread.send(prompt)
// Ctrl-C ends the agent with all its processes; the thread keeps what was said so far.
process.once('SIGINT', () => void turn.cancel())

// Every event is stored before it is seen. A program that begins to look later misses nothing.
for await (const event of turn) show(event)

const { run } = await turn.result
console.error(`${run.status} · ${run.usage.outputTokens} tokens out`)
await reprise.close()

/** Types may be added: pass by what you do not know. */
function show(event: RunEvent): void {
  if (event.type === 'text') process.stdout.write(event.text)
  if (event.type === 'started') console.error(`▸ ${event.decision.action}`)
  if (event.type === 'tool') console.error(`▸ ${event.name} ${event.input}`)
  if (event.type === 'tool-result') {
    console.error(`▸ ${event.isError ? 'failed' : 'done'}: ${event.text}`)
  }
  if (event.type === 'fallback') console.error(`▸ ${event.words}`)
  if (event.type === 'ended') process.stdout.write('\n')
}
