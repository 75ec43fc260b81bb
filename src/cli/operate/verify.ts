// reprise verify: checks the invariants of the store.
import type { JsonFlag } from '../flags/flags.ts'
import { withStore } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { progressBar } from '../view/progress-bar.ts'
import { sanitiseLine } from '../view/sanitise.ts'

export async function verify(io: Io, flags: JsonFlag): Promise<number> {
  return withStore(io, async reprise => {
    const onProgress = progressBar(io, 'verify', 'rules')
    const violations = await reprise.verify({ onProgress }).finally(() => io.line?.clear())
    if (flags.json) printJson(io, { ok: violations.length === 0, violations })
    else if (violations.length === 0) printLine(io, 'every invariant holds')
    for (const { rule, subject, detail } of flags.json ? [] : violations) {
      printLine(io, `${rule}  ${sanitiseLine(subject)}  ${sanitiseLine(detail)}`)
    }
    return violations.length === 0 ? 0 : 70
  })
}
