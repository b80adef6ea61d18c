@echo off
rem Gives @NAME@ @VERSION@ all its names, in the directory where it lies: install.cmd, or install.cmd /uninstall
setlocal
cd /d "%~dp0"
for %%L in (@LINKS@) do (
  if exist "%%L" del "%%L"
  if not "%1"=="/uninstall" mklink /H "%%L" "@NAME@.exe" >nul || copy /y "@NAME@.exe" "%%L" >nul
)
if "%1"=="/uninstall" del "@NAME@.exe"
