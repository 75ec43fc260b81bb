// The first turn, and a second one in the same session. Run: node examples/first-turn.ts (needs `claude` on PATH)
import { claudeCode, createReprise, sqlite } from 'reprise'

const reprise = createReprise({ store: sqlite('example.db'), agents: [claudeCode()] })
const thread = await reprise.threads.create({ workDir: process.cwd(), title: 'first steps' })

const first = await thread.send('Which files are here?').result
console.log(first.text)

const second = await thread.send('Which one should I read first?').result
console.log(second.text)

// A failed turn resolves as well: look at the status, and at what to do about it.
const { status, decision, costUsd, failure } = second.run
console.log(status, decision?.action, costUsd === null ? 'no price' : `$${costUsd.toFixed(4)}`)
if (failure) console.error(failure.message, failure.hint)

await reprise.close()
