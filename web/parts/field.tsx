// A field of a form with its name above it.
type FieldProps = {
  readonly label: string
  readonly value: string
  readonly onText: (text: string) => void
  readonly type?: 'text' | 'number'
  readonly placeholder?: string
  readonly required?: boolean
}

export function Field(props: FieldProps) {
  const { label, value, onText, type = 'text', placeholder, required = false } = props
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        inputMode={type === 'number' ? 'decimal' : 'text'}
        required={required}
        value={value}
        onInput={event => onText(event.currentTarget.value)}
        {...(placeholder !== undefined && { placeholder })}
      />
    </label>
  )
}
