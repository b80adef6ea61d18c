import { startFirefox } from '../../stand-ins/browser/firefox.ts'
import { describeDevice } from './device-scenarios.ts'

describeDevice(startFirefox)
