// A second policy of the full demo, whose last tier needs the approval of a person.

export const RELEASES_POLICY = `# Watches a release: look, repair what can be undone, and roll back only when a person agrees.
name: releases
maxTier: 3
budgetUsd: 5
tiers:
  - name: look
    role: Compare the new release with the one before it. Change nothing.
    model: claude-haiku-4-5
    allowedTools: [Bash, Read, Grep, Glob]
    disallowedTools: [Write, Edit, "Bash(docker restart:*)", "Bash(helm:*)", "Bash(git push:*)"]
    actions: [health checks, log reading, read-only queries]
    budgetUsd: 0.25
  - name: repair
    role: Repair what can be undone.
    model: claude-sonnet-4-5
    allowedTools: [Bash, Read, Write, Edit, Grep, Glob]
    disallowedTools: ["Bash(helm:*)", "Bash(git push:*)"]
    actions: [container restarts, configuration, feature switches]
    budgetUsd: 1.5
  - name: roll back
    role: Bring back the release before this one.
    model: claude-opus-4-8
    allowedTools: [Bash, Read, Write, Edit, Grep, Glob]
    disallowedTools: ["Bash(rm -rf /:*)"]
    actions: [helm rollbacks, redeployments]
    approval: ask
    budgetUsd: 4
`
