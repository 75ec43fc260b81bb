// What a store does for people who type only the beginning of an id.
import type { IdSubject } from '../../core/id-kind.ts'

export type IdVerbs = {
  /** Ids that begin with a text, in order; the id itself comes first. */
  idsBeginning(query: {
    readonly kind: IdSubject
    readonly beginning: string
    readonly limit: number
  }): Promise<readonly string[]>
}
