import { startFirefox } from '../../../stand-ins/browser/firefox.ts'
import { describeSignIns } from './sign-in-scenarios.ts'

describeSignIns(startFirefox)
