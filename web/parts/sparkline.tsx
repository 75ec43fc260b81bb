// A few numbers as small bars. It is a picture with a name; the number beside it says the same.
type SparklineProps = { readonly values: readonly number[]; readonly name: string }

const BAR = 4
const GAP = 1
const HEIGHT = 16

export function Sparkline({ values, name }: SparklineProps) {
  // Nothing to see: the number beside it says so.
  if (values.every(value => value === 0)) return null
  const most = Math.max(1, ...values)
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={name}
      viewBox={`0 0 ${values.length * (BAR + GAP)} ${HEIGHT}`}
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT)
        return (
          <rect
            key={index}
            class={value === 0 ? 'none' : ''}
            x={index * (BAR + GAP)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
          />
        )
      })}
    </svg>
  )
}
