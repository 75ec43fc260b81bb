// A fact that is another thing of Reprise: what it is to this one, and a link to it.
import { shortId } from '../format.ts'

type FactLinkProps = {
  /** Such as `job` or `forked from`. */
  readonly name: string
  readonly path: string
  readonly id: string
  /** What people call it; without it the id stands there. */
  readonly words?: string | null | undefined
}

export function FactLink({ name, path, id, words }: FactLinkProps) {
  return (
    <span>
      {name}{' '}
      <a class={words ? 'link' : 'link mono'} href={path + id} title={id}>
        {words || shortId(id)}
      </a>
    </span>
  )
}
