import { expect, test } from 'vitest'
import { cvssSeverity } from './cvss-severity.ts'

// Vectors and ratings of well-known vulnerabilities, as the National Vulnerability Database has them.
test.each([
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 'CRITICAL'], // 10.0
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'CRITICAL'], // 9.8
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', 'HIGH'], // 7.5
  ['CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 'HIGH'], // 8.8
  ['CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 'HIGH'], // 8.8
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 'MEDIUM'], // 6.1
  ['CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N', 'LOW'], // 3.7
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', undefined], // 0.0
  ['CVSS:3.1/AV:N', undefined],
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P', undefined],
  ['', undefined],
])('%s is %s', (vector, severity) => {
  expect(cvssSeverity(vector)).toBe(severity)
})
