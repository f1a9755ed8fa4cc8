import type { PolicyResult } from '../protocol/policy-result.ts'

/** A satisfied result of the policy BuildTool/supported, with what a test says otherwise. */
export function policyResult(fields: Partial<PolicyResult> = {}): PolicyResult {
  const status = fields.status ?? 'satisfied'
  return {
    policyUri: '/policies/BuildTool/supported',
    status,
    statusText: status,
    labels: {},
    description: '',
    remediation: '',
    attestationUri: null,
    sourcedFromUri: null,
    details: {},
    ...fields,
  }
}
