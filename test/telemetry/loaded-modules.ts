// A program that opens Reprise and prints which modules of telemetry it has loaded. Argument: `true` switches it on.
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    if (/@opentelemetry|src\/telemetry/.test(url)) loaded.push(url.replace(/^.*\/(?=[^/]+$)/, ''))
    return next(url, context)
  },
})
const { claudeCode, createReprise, sqlite } = await import('../../src/index.ts')
const telemetry = process.argv[2] === 'true'
const reprise = createReprise({ store: sqlite(':memory:'), agents: [claudeCode()], telemetry })
await reprise.threads.list()
await reprise.close()
console.log(JSON.stringify(loaded))
