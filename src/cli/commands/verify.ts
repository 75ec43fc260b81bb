// reprise verify: asks the store whether everything it promises holds.
import type { JsonFlag } from '../flags.ts'
import type { Io } from '../io.ts'
import { withStore } from '../open.ts'
import { printJson, printLine } from '../print.ts'
import { sanitiseLine } from '../sanitise.ts'

export async function verify(io: Io, flags: JsonFlag): Promise<number> {
  return withStore(io, async reprise => {
    const violations = await reprise.verify()
    if (flags.json) printJson(io, { ok: violations.length === 0, violations })
    else if (violations.length === 0) printLine(io, 'every invariant holds')
    for (const { rule, subject, detail } of flags.json ? [] : violations) {
      printLine(io, `${rule}  ${sanitiseLine(subject)}  ${sanitiseLine(detail)}`)
    }
    return violations.length === 0 ? 0 : 70
  })
}
