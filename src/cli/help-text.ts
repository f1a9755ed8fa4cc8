import { options } from './flags.ts'

/** What `--help` prints. */
export function helpText(): string {
  const lines = Object.entries(options).map(([name, option]) => {
    const left = 'value' in option ? `--${name} <${option.value}>` : `--${name}`
    return `  ${left.padEnd(28)}${option.help}`
  })
  return `${before}\n\n${lines.join('\n')}\n\n${after}\n`
}

const before = `Evaluates a policy scan on a package and ends with what it says, for a pipeline.

  sightline scan <package> --scan <name> [options]
  sightline scan --board <name> --server <address> [options]

A package is a package URL (pkg:maven/org.acme/shop@1.2?checksum=sha256:…&repository_url=…),
an image (registry/repository/name:tag@sha256:…), Maven coordinates, or the address of its page.`

const after = `Who is asked:
  SIGHTLINE_URL               a Sightline server: evaluations are recorded, waivers are known
  SIGHTLINE_GOVERNOR_URL      or the attestation and policy scan service itself, with
  SIGHTLINE_GOVERNOR_BASIC    user:password, or
  SIGHTLINE_GOVERNOR_BEARER   a token; each also with _FILE, for a file that holds it

Ends with:
  0  satisfied
  1  unsatisfied; policies that are waived count, unless --accept-waivers is given
  2  wrong use
  3  undecided: the service failed, the answer was not whole or held words that are not known,
     or nothing applied and --allow-empty is not given`
