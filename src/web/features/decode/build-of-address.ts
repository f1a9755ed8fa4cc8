import { isBuildId } from '../../../protocol/build-id.ts'

/** The build whose page at the build server an address is ("…/s/k3j7x2m4q7a4c"), if it is one. */
export function buildOfAddress(address: string): string | undefined {
  const id = /\/s\/([a-z0-9]{13})(?:[/?#]|$)/.exec(address)?.[1]
  return id !== undefined && isBuildId(id) ? id : undefined
}
