// Every icon, drawn on a grid of 16 with a stroke of 1.5. An icon never stands alone for a status: a word is beside it.

const PATHS = {
  // decisions
  resume: 'M2 8a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M5 8h8.5M10.5 5l3 3-3 3',
  fork: 'M2 12a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M3.5 10.5V9a4 4 0 0 1 4-4h6M10.5 2l3 3-3 3',
  replay: 'M13.5 8a5.5 5.5 0 1 1-1.8-4M13.5 2v3.5H10',
  handover: 'M3.5 2h6l3 3v9h-9zM6 8h4M6 11h4',
  start: 'M3 3v10M6.5 4l6 4-6 4z',
  wait: 'M4 2h8M4 14h8M5 2v2.5L8 8l3-3.5V2M5 14v-2.5L8 8l3 3.5V14',
  // statuses
  queued:
    'M8 2a6 6 0 0 1 2.5.5M13 5a6 6 0 0 1 1 3M13 11a6 6 0 0 1-2 2M8 14a6 6 0 0 1-2.5-.5M3 11a6 6 0 0 1-1-3M3 5a6 6 0 0 1 2-2',
  running: 'M8 2a6 6 0 1 1-6 6',
  waiting: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M8 5v3l2 2',
  parked: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M6.5 6v4M9.5 6v4',
  completed: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M5.5 8l2 2 3.5-4',
  resolved: 'M1.5 8.5l3 3 6-7M8 11l.5.5 6-7',
  failed: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M6 6l4 4M10 6l-4 4',
  interrupted: 'M9.5 1.5L4 9h4l-1.5 5.5L12 7H8z',
  cancelled: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M4 12l8-8',
  dead: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM6 6l4 4M10 6l-4 4',
  held: 'M3.5 7h9v7h-9zM5.5 7V4.5a2.5 2.5 0 0 1 5 0V7',
  exhausted: 'M3 2.5h10M8 14V5.5M5 8.5l3-3 3 3',
  expired: 'M13.5 8a5.5 5.5 0 1 0-5.5 5.5M8 5v3M11 11l3 3M14 11l-3 3',
  broken: 'M1.5 8h4l1-3M14.5 8h-4l-1 3M8 4v1M8 11v1',
  open: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M8 7a1 1 0 1 0 0 2a1 1 0 1 0 0-2',
  archived: 'M2 3h12v3H2zM3 6v7h10V6M6.5 9h3',
  announced:
    'M8 2a6 6 0 0 1 3 1M13.5 6a6 6 0 0 1 0 4M11 13a6 6 0 0 1-6 0M2.5 10a6 6 0 0 1 0-4M5 3a6 6 0 0 1 3-1',
  escalate: 'M8 14V2.5M4 6.5l4-4 4 4',
  // guards and marks
  yes: 'M3 8.5l3.5 3.5L13 4.5',
  no: 'M4 4l8 8M12 4l-8 8',
  unknown: 'M5.5 5.5A2.5 2.5 0 1 1 9 8c-.7.4-1 .8-1 1.7M8 12.5v.5',
  warning: 'M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.3',
  // places
  logo: 'M13 2v12M9.5 2v12M5 5.5v.5M5 10v.5',
  inbox: 'M2 9l2-6h8l2 6v4H2zM2 9h3.5l1 2h3l1-2H14',
  threads: 'M2 3h12v8H7l-3 3v-3H2zM5 6h6M5 8.5h4',
  chains: 'M2 13h3.5V9H9V5h3.5V2',
  jobs: 'M2 3h12v4H2zM2 9h12v4H2zM4.5 5h1M4.5 11h1',
  live: 'M1.5 8h3l2-5 3 10 2-5h3',
  savings: 'M2 14h12M4 14V8M8 14V3M12 14v-4',
  sessions:
    'M3 4c0-1 2-2 5-2s5 1 5 2-2 2-5 2-5-1-5-2zM3 4v8c0 1 2 2 5 2s5-1 5-2V4M3 8c0 1 2 2 5 2s5-1 5-2',
  agents: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10h3',
  // acts
  search: 'M7 2a5 5 0 1 0 0 10a5 5 0 1 0 0-10M10.5 10.5L14 14',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  out: 'M9 2H3v12h6M6.5 8h7.5M11 5l3 3-3 3',
  bash: 'M2.5 4.5L6 8l-3.5 3.5M8 12h5.5',
  edit: 'M2.5 13.5l.5-3L10.5 3l2.5 2.5L5.5 13zM9 4.5L11.5 7',
  read: 'M3.5 2h6l3 3v9h-9zM9 2v3.5h3.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  retry: 'M2.5 8a5.5 5.5 0 1 0 1.8-4M2.5 2v3.5H6',
  stop: 'M3.5 3.5h9v9h-9z',
  clip: 'M12.5 7l-5 5a3 3 0 0 1-4-4l5.5-5.500a2 2 0 0 1 3 3L6.5 11',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  up: 'M4 10l4-4 4 4',
  more: 'M3 8h.5M8 8h.5M13 8h.5',
  question: 'M2 3h12v8.500H8L5 14v-2.500H2zM6.5 6a1.5 1.5 0 1 1 2 1.500c-.4.2-.5.4-.5.8M8 10v.1',
  shield: 'M8 1.500l5.5 2v4c0 3.5-2.5 6-5.5 7-3-1-5.5-3.5-5.5-7v-4z',
  files: 'M2 4h4l1.5 1.500H14V13H2z',
  send: 'M8 13.500V3M4 7l4-4 4 4',
  plus: 'M8 3v10M3 8h10',
  pin: 'M8 10v4.500M5 2h6l-.7 4 2 3.500H3.700L5.7 6z',
  reconnect:
    'M13.5 7A5.5 5.5 0 0 0 3.5 5M2.5 9a5.5 5.5 0 0 0 10 2M3 2v3.500h3.500M13 14v-3.500H9.5',
  checkpoint: 'M8 2.500L13.5 8 8 13.5 2.5 8z',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1.5 1.500h-11zM7 14.500h2',
} as const

export type IconName = keyof typeof PATHS

/** An icon inside a larger drawing: the middle of its grid stands at 0, 0. */
export function IconMark({ name }: { readonly name: IconName }) {
  return <path class="icon-mark" d={PATHS[name]} transform="scale(0.875) translate(-8 -8)" />
}

/** Without a name it is decoration; the word beside it says the same. */
export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }) {
  return (
    <svg
      role="img"
      aria-hidden={label === undefined}
      aria-label={label ?? name}
      class={name === 'running' ? 'icon turning' : 'icon'}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
