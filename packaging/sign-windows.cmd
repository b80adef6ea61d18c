@echo off
rem Signs one executable with the certificate of SIGN_WINDOWS_THUMBPRINT; does nothing without that variable.
if "%SIGN_WINDOWS_THUMBPRINT%"=="" exit /b 0
signtool sign /sha1 %SIGN_WINDOWS_THUMBPRINT% /fd sha256 /tr http://timestamp.digicert.com /td sha256 %1
