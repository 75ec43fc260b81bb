// Tabs are links: which one is open stands in the address.
export type Tab = {
  readonly href: string
  readonly name: string
  readonly count?: number | undefined
  readonly isOpen: boolean
}

export function Tabs({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, name, count, isOpen }) => (
        <a key={href} href={href} aria-current={isOpen ? 'page' : undefined}>
          {name}
          {count !== undefined && <span class="muted">{count}</span>}
        </a>
      ))}
    </nav>
  )
}
