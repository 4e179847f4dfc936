# Completes `git sq` and `git-sq`.
function __fish_git_sq
    git sq complete -- $argv (commandline -ct) 2>/dev/null
end
complete -c git-sq -f -k -a '(__fish_git_sq (commandline -opc)[2..-1])'
complete -c git -n '__fish_git_using_command sq' -f -k -a '(__fish_git_sq (commandline -opc | sed "1,/^sq\$/d"))'
