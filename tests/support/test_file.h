// In front of every file of tests: declares its main, which the build has given another name.
int main(void);
