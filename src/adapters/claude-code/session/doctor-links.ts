// Mends the links between the lines of a session file: each line follows one that stands before it, and no id is there twice.
import {
  type DamageKind,
  damageOf,
  type SessionDamage,
} from '../../../core/conversation/session-damage.ts'
import { textIn } from '../../fields.ts'
import type { DoctorLine } from './doctor-lines.ts'

export function mendLinks(
  lines: readonly DoctorLine[],
  found: SessionDamage[],
): readonly DoctorLine[] {
  const unique = withoutDuplicates(lines, found)
  return inOrder(unique, found)
}

/** Lines of subagents form separate trees, which nobody resumes. */
export function isEntry({ fields }: DoctorLine): boolean {
  return fields.isSidechain !== true && textIn(fields.uuid) !== null && 'parentUuid' in fields
}

export function idOf({ fields }: DoctorLine): string {
  return textIn(fields.uuid) ?? ''
}

export function parentOf({ fields }: DoctorLine): string | null {
  return textIn(fields.parentUuid)
}

export function follow(line: DoctorLine, parent: DoctorLine | undefined): void {
  line.fields = { ...line.fields, parentUuid: parent ? idOf(parent) : null }
  line.isChanged = true
}

function withoutDuplicates(
  lines: readonly DoctorLine[],
  found: SessionDamage[],
): readonly DoctorLine[] {
  const known = new Map<string, string>()
  return lines.filter(line => {
    if (!isEntry(line)) return true
    const text = JSON.stringify(line.fields)
    const first = known.get(idOf(line))
    if (first === undefined) {
      known.set(idOf(line), text)
      return true
    }
    found.push(damageOf(first === text ? 'duplicate-line' : 'duplicate-id', line.number))
    return false
  })
}

/** Each line comes after the one that it follows; one whose predecessor is not here follows the line before it. */
function inOrder(lines: readonly DoctorLine[], found: SessionDamage[]): readonly DoctorLine[] {
  const byId = new Map(lines.filter(isEntry).map(line => [idOf(line), line]))
  const order: DoctorLine[] = []
  const done = new Set<DoctorLine>()
  let last: DoctorLine | undefined
  const emit = (line: DoctorLine) => {
    done.add(line)
    order.push(line)
    if (isEntry(line)) last = line
  }
  const relink = (line: DoctorLine, kind: DamageKind) => {
    found.push(damageOf(kind, line.number))
    follow(line, last)
  }
  for (const line of lines) {
    if (done.has(line)) continue
    // The lines that must come first, the nearest one first.
    const waiting: DoctorLine[] = [line]
    for (let at: DoctorLine = line; isEntry(at); ) {
      const parent = parentOf(at)
      const before = parent === null ? undefined : byId.get(parent)
      if (parent === null || (before && done.has(before))) break
      const kind = !before ? 'broken-link' : waiting.includes(before) ? 'circle' : null
      if (kind !== null || !before) {
        relink(at, kind ?? 'broken-link')
        break
      }
      found.push(damageOf('out-of-order', at.number))
      waiting.push(before)
      at = before
    }
    for (const next of waiting.toReversed()) emit(next)
  }
  return order
}
