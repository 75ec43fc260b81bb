// reprise sessions doctor: checks the files of all sessions in use, or examines one and repairs a copy of it.
import type { CopyProof, Reprise, SessionDiagnosis } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { withWaitingLine } from '../terminal/waiting-line.ts'
import { count, printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { fileWords } from './sessions.ts'

export type DoctorFlags = JsonFlag & { readonly repair?: boolean }

export async function sessionsDoctor(
  io: Io,
  id: string | undefined,
  flags: DoctorFlags,
): Promise<number> {
  if (id !== undefined) return examine(io, id, flags)
  if (flags.repair) {
    const hint = 'Run `reprise sessions doctor` to see which sessions are damaged.'
    throw new RepriseError('bad-input', '--repair needs the id of a session', hint)
  }
  return checkSessions(io, flags)
}

/** Exit 1 when the file is damaged and no repaired copy was made. */
async function examine(io: Io, id: string, { repair, json }: DoctorFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const words = () =>
      repair ? 'repairing a copy and resuming it' : 'reading the file of the session'
    const diagnosis = await withWaitingLine({ io, words }, () =>
      reprise.sessions.diagnose(id, { repair }),
    )
    if (json) printJson(io, diagnosis)
    else printDiagnosis(io, diagnosis)
    return diagnosis.found.length > 0 && diagnosis.repaired === null ? 1 : 0
  })
}

/** So many findings are printed one by one. */
const MOST_LINES = 20

function printDiagnosis(
  io: Io,
  { sessionId, found, read, repairable, repaired }: SessionDiagnosis,
) {
  if (read === 'copy') printLine(io, `${sessionId}: its file is gone; this is about our copy of it`)
  if (found.length === 0) printLine(io, `${sessionId}: its file is sound`)
  for (const { line, words, remedy } of found.slice(0, MOST_LINES)) {
    const where = line === null ? '' : `line ${line}: `
    printLine(io, sanitiseLine(`${where}${words} (in a repaired copy ${remedy})`))
  }
  if (found.length > MOST_LINES) printLine(io, `and ${found.length - MOST_LINES} more`)
  if (repaired) {
    const { kept, changed, dropped, added } = repaired.lines
    printLine(
      io,
      `repaired on a copy: ${kept} lines as they were, ${changed} changed, ${dropped} left out, ${added} added`,
    )
    printLine(io, sanitiseLine(`${repaired.sessionId} (${repaired.path})`))
    printLine(io, sanitiseLine(proofWords(repaired.proof)))
    printLine(
      io,
      repaired.session === null
        ? 'The thread does not go on with it: it does not begin as the thread does.'
        : `The next turn of the thread goes on with it, as ${repaired.session}.`,
    )
    return
  }
  if (found.length === 0) return
  printLine(
    io,
    repairable
      ? `To repair it on a copy: reprise sessions doctor ${sessionId} --repair`
      : 'It cannot be repaired. The next turn of its thread brings the conversation by itself.',
  )
}

function proofWords(proof: CopyProof): string {
  return proof.state === 'resumed'
    ? `proof: version ${proof.version} of the agent resumed the copy and found its last message; it got no prompt, so this cost nothing`
    : `proof: none, because ${proof.why}; the next turn shows whether the agent takes the copy`
}

/** Exit 1 when the file of a session in use is damaged or gone and there is no copy of it. */
async function checkSessions(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    let checked = 0
    const words = () => `checking the files of sessions, ${count(checked)} so far,`
    const findings = await withWaitingLine({ io, words }, () =>
      findingsOf(reprise, () => {
        checked += 1
      }),
    )
    if (flags.json) printJson(io, { ok: findings.length === 0, findings })
    else if (findings.length === 0) printLine(io, 'every session in use has a sound file or a copy')
    else
      for (const { id, words, remedy } of findings)
        printLine(io, sanitiseLine(`${id}: ${words}; ${remedy}`))
    return findings.some(finding => finding.remedy === NO_COPY) ? 1 : 0
  })
}

const NO_COPY = 'there is no copy: the next turn replays the conversation'

async function findingsOf(reprise: Reprise, onChecked: () => void) {
  const findings: { id: string; words: string; remedy: string }[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await reprise.sessions.list({ limit: 100, ...(cursor && { cursor }) })
    for (const { id, pointer } of page) {
      if (pointer !== 'confirmed') continue
      const session = await reprise.sessions.get(id)
      onChecked()
      if (session.file.state === 'present' || session.file.state === 'unknown') continue
      const remedy = session.keptBytes > 0 ? 'our copy takes its place at the next turn' : NO_COPY
      findings.push({ id, words: fileWords(session), remedy })
    }
    cursor = page.at(-1)?.id
    if (page.length < 100) return findings
  }
}
