// The keys that a schema knows at a place, for hints about mistyped ones.
import { z } from 'zod'

/** Of alternatives, the keys of all. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const objects = schemasAt(schema, path).flatMap(alternatives)
  const keys = objects.flatMap(one => (one instanceof z.ZodObject ? Object.keys(one.shape) : []))
  return [...new Set(keys)]
}

/** One, or several where alternatives lead there. */
function schemasAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly z.ZodType[] {
  const [key, ...rest] = path
  if (key === undefined) return [unwrap(schema)]
  return alternatives(schema).flatMap(one => {
    const inner = under(one, key)
    return inner instanceof z.ZodType ? schemasAt(inner, rest) : []
  })
}

function under(schema: z.ZodType, key: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)]
  if (schema instanceof z.ZodRecord) return schema.valueType
  return schema instanceof z.ZodArray ? schema.element : undefined
}

function alternatives(schema: z.ZodType): readonly z.ZodType[] {
  const one = unwrap(schema)
  if (!(one instanceof z.ZodUnion)) return [one]
  return one.options.flatMap(option => (option instanceof z.ZodType ? alternatives(option) : []))
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodOptional)) return schema
  const inner = schema.unwrap()
  return inner instanceof z.ZodType ? unwrap(inner) : schema
}
