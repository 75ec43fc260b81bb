// A fact that is another thing of Reprise: what it is to this one, and a link to it.
import { shortId } from '../format.ts'

type FactLinkProps = {
  /** Such as `job` or `forked from`. */
  readonly name: string
  readonly path: string
  readonly id: string
}

export function FactLink({ name, path, id }: FactLinkProps) {
  return (
    <span>
      {name}{' '}
      <a class="link mono" href={path + id} title={id}>
        {shortId(id)}
      </a>
    </span>
  )
}
