// The shapes of keys and tokens of well-known services: prefix, characters, least length. The facts come from the services'
// own documentation and from the rules of gitleaks (github.com/gitleaks/gitleaks, MIT); lengths are lower here, so that a later, shorter or
// cut-off form is still recognised.

export type Shape = {
  readonly prefix: string
  /** A character class, without its brackets. */
  readonly of: string
  readonly atLeast: number
  /** Ordinary words begin like this too, so the rest must look random. */
  readonly random?: true
}

const HEX = '0-9a-fA-F'
const LETTERS = 'A-Za-z0-9'
const WORD = 'A-Za-z0-9_-'
const BASE64 = 'A-Za-z0-9+/=_-'
const DOTTED = 'A-Za-z0-9._=-'

function each(prefixes: string, of: string, atLeast: number): readonly Shape[] {
  return prefixes.split(' ').map(prefix => ({ prefix, of, atLeast }))
}

function random(prefixes: string, of: string, atLeast: number): readonly Shape[] {
  return each(prefixes, of, atLeast).map(shape => ({ ...shape, random: true }))
}

export const SHAPES: readonly Shape[] = [
  // Models
  ...each('sk-ant-', WORD, 16),
  ...random('sk-', WORD, 20),
  ...each('gsk_ r8_ hf_ jina_ pcsk_ tgp_v1_', WORD, 28),
  ...random('pplx- nvapi- xai- tvly- lsv2_', WORD, 24),
  ...each('AIza', WORD, 30),
  // Code and packages
  ...each('ghp_ gho_ ghu_ ghs_ ghr_', LETTERS, 20),
  ...each('github_pat_', 'A-Za-z0-9_', 22),
  ...each(
    'glpat- gldt- glrt- glft- glimt- glffct- glsoat- gloas- glcbt- glagent- glptt-',
    DOTTED,
    18,
  ),
  ...each('GR1348941', WORD, 18),
  ...each('npm_', LETTERS, 30),
  ...each('pypi-AgE', WORD, 40),
  ...each('rubygems_', HEX, 32),
  ...each('dckr_pat_', WORD, 20),
  ...each('ATATT3 ATCTT3 ATBB', BASE64, 24),
  ...each('CCIPAT_', 'A-Za-z0-9_', 30),
  ...each('sgp_ lin_api_ lin_oauth_', 'A-Za-z0-9_', 32),
  ...random('cmVmd AKCp', LETTERS, 50),
  ...each('figd_ figo_', WORD, 30),
  // Clouds
  ...each('ABSK', BASE64, 60),
  ...each('ya29.', DOTTED, 20),
  ...each('GOCSPX-', WORD, 20),
  ...each('LTAI', LETTERS, 16),
  ...each('dop_v1_ doo_v1_ dor_v1_', HEX, 40),
  ...each('fo1_ fm1a_ fm1r_ fm2_', BASE64, 40),
  ...each('hvs. hvb. hvr.', WORD, 20),
  ...each('dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', LETTERS, 30),
  ...random('dapi', HEX, 32),
  ...each('pul-', HEX, 40),
  ...each('sbp_', HEX, 36),
  ...each('pscale_tkn_ pscale_pw_ pscale_oauth_', DOTTED, 30),
  ...each('glc_ glsa_', 'A-Za-z0-9+/=_', 30),
  ...each('sntrys_ sntryu_', 'A-Za-z0-9+/=_', 40),
  ...each('NRAK- NRII- NRJS-', WORD, 18),
  ...each('dt0c01. dt0s16.', DOTTED, 60),
  ...each('rnd_ tfp_ rdme_', WORD, 28),
  ...random('phx_ phc_', LETTERS, 32),
  // Money and messages
  ...each('sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_', LETTERS, 10),
  ...each('whsec_', 'A-Za-z0-9+/=', 24),
  ...each('sq0atp- sq0csp- EAAAE', WORD, 20),
  ...each('shpat_ shpca_ shppa_ shpss_', HEX, 28),
  ...each('shippo_live_ shippo_test_ duffel_live_ duffel_test_', BASE64, 32),
  ...each('EZAK EZTK', LETTERS, 50),
  ...each('xoxb- xoxa- xoxp- xoxr- xoxs- xoxo- xoxe-', 'A-Za-z0-9-', 10),
  ...each('xoxe.xoxb- xoxe.xoxp-', 'A-Za-z0-9-', 40),
  ...each('xapp-', 'A-Za-z0-9-', 20),
  ...each('SG.', DOTTED, 40),
  ...each('xkeysib- xsmtpsib-', WORD, 60),
  ...random('key-', HEX, 32),
  ...random('SK', HEX, 32),
  ...each('EAACEdEose0cBA', LETTERS, 20),
  // Others
  ...each('PMAK-', 'A-Za-z0-9-', 50),
  ...each('ntn_', LETTERS, 40),
  ...each('secret_', LETTERS, 40),
  ...each('ops_eyJ', BASE64, 40),
  ...each('AGE-SECRET-KEY-1', 'A-Z0-9', 40),
  ...each('A3-', 'A-Z0-9-', 30),
  ...random('API-', 'A-Z0-9', 26),
]
