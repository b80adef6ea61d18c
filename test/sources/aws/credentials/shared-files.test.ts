import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAwsFiles } from '../../../../src/sources/aws/files/aws-files.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

test('keys are read in any case, and names and values as they are', async () => {
  const home = await temporaryDirectory()
  const [AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE] = [join(home, 'config'), join(home, 'credentials')]
  await writeFile(
    AWS_CONFIG_FILE,
    '[profile Dev]\r\nRegion = EU\r\n; Region = X\r\n SSO_Session=Corp\r\n[sso-session Corp]\r\nSSO_Start_URL = https://A.example/?B=C\r\n',
  )
  await writeFile(AWS_SHARED_CREDENTIALS_FILE, '[Dev]\nAWS_ACCESS_KEY_ID = AKIAExample\naws_Secret_Access_Key = A=b\n')
  const { profiles, ssoSessions } = await readAwsFiles({ env: { AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE }, home })
  expect({ profiles, ssoSessions }).toEqual({
    profiles: {
      Dev: { region: 'EU', sso_session: 'Corp', aws_access_key_id: 'AKIAExample', aws_secret_access_key: 'A=b' },
    },
    ssoSessions: { Corp: { sso_start_url: 'https://A.example/?B=C' } },
  })
})
