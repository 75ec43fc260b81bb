// A budget guard: a conversation that may cost so much and no more. Run: node examples/budget-guard.ts 0.05 'PROMPT' 'PROMPT' …
import { claudeCode, createReprise, sqlite } from 'reprise'

const [limit = '0.05', ...prompts] = process.argv.slice(2)
const budgetUsd = Number(limit)
const reprise = createReprise({ store: sqlite('example.db'), agents: [claudeCode()] })
const thread = await reprise.threads.create({ workDir: process.cwd() })

for (const prompt of prompts) {
  const { costUsd: spent } = await thread.show()
  // What the turn reads before its first word, by list prices; answers and tools come on top.
  const { estimate, decision } = await thread.preview({ prompt })
  const expected = estimate?.costUsd ?? 0
  const left = budgetUsd - spent
  if (expected >= left) {
    console.log(
      `not sent: a ${decision.action} costs at least ${usd(expected)}, ${usd(left)} is left`,
    )
    process.exitCode = 1
    break
  }
  // Reprise ends the run when it has used this up. The model request under way comes on top.
  const { run, text } = await thread.send(prompt, { budgetUsd: left }).result
  if (run.failure?.class === 'budget') {
    console.log(`stopped: ${run.failure.message}`)
    process.exitCode = 1
    break
  }
  console.log(text)
}

const { costUsd } = await thread.show()
console.log(`${usd(costUsd)} of ${usd(budgetUsd)}`)
await reprise.close()

function usd(amount: number): string {
  return `$${amount.toFixed(4)}`
}
