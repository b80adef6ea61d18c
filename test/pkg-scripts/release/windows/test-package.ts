import type { WindowsPackage } from '../../../../pkg-scripts/release/windows/windows-package.ts'

/** A package whose executable is a few bytes. */
export const testPackage: WindowsPackage = {
  name: 'gatepass-helpers',
  version: '1.2.3',
  target: 'win32-x64',
  summary: 'made by a test',
  publisher: 'Desktop team',
  contact: 'desktop@example.com',
  helpUrl: 'https://desktop.example/help?a=1&b=2',
  executable: Buffer.from('program'),
  names: ['aws-bedrock-token.exe', 'oidc-token.exe'],
  notices: Buffer.from('notices'),
  time: new Date('2026-01-02T03:04:05Z'),
}
