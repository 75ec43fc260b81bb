// Says in words why git could not get a repository, and what to do about it.
import { redact } from '../core/secrets/redact.ts'
import { RepriseError } from '../errors.ts'

type Known = {
  readonly says: RegExp
  readonly error: (repository: string, said: string) => RepriseError
}

const KNOWN: readonly Known[] = [
  {
    says: /No space left on device|disk quota exceeded/i,
    error: (repository, said) =>
      new RepriseError(
        'store-full',
        `the disk is full, so ${repository} cannot be checked out: ${said}`,
        'Make room, or lower `workspaces.maxBytes` in config.yaml so that Reprise keeps less.',
      ),
  },
  {
    says: /Authentication failed|could not read (Username|Password)|terminal prompts disabled|Permission denied|Host key verification failed|returned error: 40[13]/i,
    error: (repository, said) =>
      new RepriseError(
        'forbidden',
        `${repository} wants credentials that git on this host does not have: ${said}`,
        'Give them to git itself: a credential helper (`git config --global credential.helper`), or a key in the ssh agent. Try it with `git ls-remote`.',
      ),
  },
  {
    says: /transport '\S+' not allowed/i,
    error: (repository, said) =>
      new RepriseError(
        'bad-input',
        `git may not reach ${repository} that way: ${said}`,
        'Use https, ssh, git, file or an absolute path; look for `url.<base>.insteadOf` in the config of git.',
      ),
  },
  {
    says: /does not appear to be a git repository|repository '[^'\n]{0,500}' not found|does not exist|Could not find repository|returned error: 404/i,
    error: (repository, said) =>
      new RepriseError(
        'not-found',
        `there is no repository at ${repository}, or git may not see it: ${said}`,
        'Check the address with `git ls-remote`.',
      ),
  },
  {
    says: /Could not resolve host|Connection (refused|timed out|reset)|Network is unreachable|unable to connect|Operation timed out/i,
    error: (repository, said) =>
      new RepriseError(
        'agent-unusable',
        `${repository} cannot be reached from this host: ${said}`,
        'Check the network of this host with `git ls-remote`, then try again.',
      ),
  },
]

export function gitError(repository: string, stderr: string): RepriseError {
  const said = lastWords(redact(stderr))
  const known = KNOWN.find(({ says }) => says.test(stderr))
  if (known) return known.error(repository, said)
  return new RepriseError(
    'agent-unusable',
    `git cannot get ${repository}: ${said}`,
    'Try the same on this host with `git ls-remote` and `git clone`.',
  )
}

export function noRef(repository: string, ref: string | null): RepriseError {
  const what =
    ref === null
      ? `${repository} has no default branch`
      : `${repository} has no branch, tag or commit ${ref}`
  return new RepriseError('not-found', what, 'See its refs with `git ls-remote`.')
}

const MAX_CHARACTERS = 300

/** The lines by which git says what went wrong; the others are progress and advice. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter(line => line.trim() !== '')
  const fatal = lines.filter(line => /^(fatal|error|remote: |ssh: )|denied/i.test(line))
  const said = (fatal.length > 0 ? fatal : lines.slice(-2)).join(' ')
  return said.slice(0, MAX_CHARACTERS).toWellFormed() || 'git gave no reason'
}
